package install

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/problem"
)

// Launch is what a client would start for an entry.
type Launch struct {
	clients.Launch
	Client clients.Client
	Entry  clients.Entry
}

// Launch returns what a client starts for the entry of that name, as Prove does.
func (in *Installer) Launch(ctx context.Context, id, name string) (l Launch, err error) {
	if l.Client, err = find(id); err != nil {
		return l, err
	}
	machine := in.here(ctx)
	var ok bool
	if l.Entry, ok = in.entry(machine.Look(l.Client), name); !ok {
		return l, notInClient(l.Client)
	}
	l.Launch, err = machine.Launch(l.Client, l.Entry, in.Environ)
	return l, err
}

// Prove starts what stands in a client's file under that name as the client would, and calls
// it on each graph; an empty name stands for the entry that a client would use first. What is
// not this program alone is started only where agreed is set. What was proven is remembered
// until a proof of it fails.
func (in *Installer) Prove(ctx context.Context, id, entry string, agreed bool, report func(ProofStep)) (Proof, error) {
	l, err := in.Launch(ctx, id, entry)
	if err != nil {
		return Proof{}, err
	}
	if l.Doubt != "" && (!agreed || l.Never) {
		step := ProofStep{ID: StepStart, Failed: true, Err: l.doubted(), Mend: MendAgree}
		if l.Never {
			step.Mend = MendNone
		}
		if missing, ok := missingProgram(l.Launch); ok {
			step = in.mended(missing)
		}
		if report != nil {
			report(step)
		}
		return Proof{Steps: []ProofStep{step}}, step.Err
	}
	graphs, err := in.Graphs(ctx)
	if err != nil {
		return Proof{}, err
	}
	result, err := in.run(ctx, l.Launch, graphs, report)
	var at time.Time
	if err == nil {
		at = in.Now()
	}
	if ctx.Err() == nil {
		_ = in.Proofs.Remember(l.Client.ID, l.Entry, at) // the proof stands all the same
	}
	return result, err
}

// ProveGraph starts this program as a client would, for one graph alone, and calls it.
func (in *Installer) ProveGraph(ctx context.Context, nickname string, report func(ProofStep)) (Proof, error) {
	server := in.Server.With(clients.Choice{Graphs: []string{nickname}})
	launch := clients.Launch{Name: server.Name, Command: server.Command, Args: server.Args, Env: in.Environ, Dir: in.Machine.Home, Graphs: []string{nickname}, Program: in.Machine.Running}
	return in.run(ctx, launch, nil, report)
}

// run runs a proof. Where the path of this program is gone, an entry written anew would
// start nothing either: the program is to be installed first.
func (in *Installer) run(ctx context.Context, launch clients.Launch, graphs []Graph, report func(ProofStep)) (Proof, error) {
	result, err := prove(ctx, launch, graphs, in.Probes, usualLimits(), func(step ProofStep) {
		if report != nil {
			report(in.mended(step))
		}
	})
	for i, step := range result.Steps {
		result.Steps[i] = in.mended(step)
		if step.Failed && step.Err == err {
			err = result.Steps[i].Err
		}
	}
	return result, err
}

// mended returns a step with the mend of where the path of this program is gone.
func (in *Installer) mended(step ProofStep) ProofStep {
	if _, err := os.Stat(in.Server.Command); step.Mend != MendWriteAnew || !errors.Is(err, fs.ErrNotExist) {
		return step
	}
	told := *problem.FromError(step.Err)
	told.Hint = problem.Say("This program is no longer at %s: install roam-mcp again, and start it from there.", in.Server.Command)
	step.Mend, step.Err = MendInstallProgram, &told
	return step
}
