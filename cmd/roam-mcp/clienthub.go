package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"time"

	"roam-mcp/clients"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/transport/streamablehttp"
	"roam-mcp/problem"
	"roam-mcp/proof"
	"roam-mcp/tui"
)

// The names that entries of roam-mcp have in clients' files, before that of a profile.
const (
	entryName        = "roam"
	sandboxEntryName = "roam-sandbox"
)

// entryName is the name of this world's entries, before that of a profile.
func (w world) entryName() string {
	if w.sandbox {
		return sandboxEntryName
	}
	return entryName
}

// thisMachine returns the machine on which clients are looked for, with the path by which
// they are to start this program, and what a person should know of that path.
func thisMachine() (machine clients.Machine, note string, err error) {
	machine, err = clients.ThisMachine()
	machine.Program, note = ownProgram(os.Args[0])
	return machine, note, err
}

// clientHub is what commands and the setup program do with the MCP clients of this
// machine.
type clientHub struct {
	machine clients.Machine
	options clients.Options
	// server is how clients start this program in this world, without what is chosen for
	// each.
	server     clients.Server
	entryNamed string   // what entries are called instead; empty: by server and choice
	note       string   // what a person should know of the program's path; empty: nothing
	environ    []string // of this process
	probes     []string // tools that a proof calls
	// world returns what entries are compared with.
	world func(context.Context) clients.World
	// graphs returns the graphs that are connected and enabled.
	graphs func(context.Context) ([]proof.Graph, error)
	// called returns when a client last called, by the names that it gives itself.
	called func(names ...string) time.Time
	// open opens a link, by which some clients are configured; nil: nothing does.
	open   func(ctx context.Context, link string) error
	proofs proofLog
	now    func() time.Time
}

var _ tui.Clients = (*clientHub)(nil)

// clients returns the hub of this world.
func (w world) clients() (*clientHub, error) {
	machine, note, err := thisMachine()
	if err != nil {
		return nil, err
	}
	hub := &clientHub{
		machine: machine, note: note, environ: os.Environ(), now: time.Now, open: linkOpener(),
		server: clients.Server{Name: w.entryName(), Command: machine.Program, Args: append([]string{"serve"}, w.flags()...)},
		proofs: proofLog{path: w.proofLog()}, world: w.clientWorld,
		graphs: func(ctx context.Context) ([]proof.Graph, error) {
			config, err := w.store().Load(ctx)
			if err != nil {
				return nil, err
			}
			var graphs []proof.Graph
			for _, entry := range config.Enabled() {
				graphs = append(graphs, proof.Graph{Nickname: entry.Nickname})
			}
			return graphs, nil
		},
	}
	activity := w.activity(slog.New(slog.DiscardHandler))
	hub.called = func(names ...string) time.Time {
		call, _ := activity.LastCall(names...)
		return call.At
	}
	for _, profile := range mcpserve.Profiles() {
		hub.probes = append(hub.probes, profile.Proving())
	}
	return hub, nil
}

// clientWorld returns what the entries of clients are compared with: where this world's
// configuration is, its graphs, and the servers that run.
func (w world) clientWorld(ctx context.Context) clients.World {
	compared := clients.World{Sandbox: w.sandbox, Config: w.config, HTTP: "http://" + insideAddress + streamablehttp.Path}
	if config, err := w.store().Load(ctx); err == nil {
		compared.NoGraph, compared.Reaches = len(config.Enabled()) == 0, config.Reaches
	}
	// Servers that can't be listed count as none, so that nothing is called served.
	servers, _ := runningServers(ctx, w.activity(slog.New(slog.DiscardHandler)))
	for _, server := range servers {
		if server.Address != "" {
			compared.Serving = append(compared.Serving, server.Address)
		}
	}
	return compared
}

// here returns the machine with what the entries of its clients are compared with now.
func (h *clientHub) here(ctx context.Context) clients.Machine {
	machine := h.machine
	machine.World = h.world(ctx)
	return machine
}

// Look implements tui.Clients.
func (h *clientHub) Look(ctx context.Context) []tui.ClientStatus {
	proofs := h.proofs.read()
	var all []tui.ClientStatus
	for _, status := range h.here(ctx).LookAll() {
		found := tui.ClientStatus{Status: status}
		if len(status.Entries) > 0 && len(status.Client.Infos) > 0 {
			found.Called = h.called(status.Client.Infos...)
		}
		if entry, ok := h.entry(status, ""); ok && status.State == clients.Configured {
			found.Proven = proofs.of(status.Client.ID, entry)
		}
		all = append(all, found)
	}
	return all
}

// entry returns the entry of that name; for an empty one that of this world's usual
// name, or else the first one that is of this world.
func (h *clientHub) entry(status clients.Status, name string) (clients.Entry, bool) {
	wanted := func(found clients.Entry) bool { return found.Here && found.Name == h.server.Name }
	if name != "" {
		wanted = func(found clients.Entry) bool { return found.Name == name }
	}
	i := slices.IndexFunc(status.Entries, wanted)
	if i < 0 && name == "" {
		i = slices.IndexFunc(status.Entries, func(found clients.Entry) bool { return found.Here })
	}
	if i < 0 {
		return clients.Entry{}, false
	}
	return status.Entries[i], true
}

// find returns the client with that ID, alias or name.
func (h *clientHub) find(id string) (clients.Client, error) {
	client, ok := clients.Find(id)
	if !ok {
		return client, unknownClient(id)
	}
	return client, nil
}

// Plan implements tui.Clients. The error is a *problem.Error; where the client's file can't
// be read, the plan still has the text to paste. Where nothing opens links, a plan with one
// is ByText.
func (h *clientHub) Plan(ctx context.Context, id string, choice clients.Choice) (clients.Plan, error) {
	client, err := h.find(id)
	if err != nil {
		return clients.Plan{}, err
	}
	plan, err := h.here(ctx).PlanInstall(client, h.named(choice), h.options)
	if plan.Way == clients.ByLink && h.open == nil {
		plan.Way = clients.ByText
	}
	if plan.Note == "" {
		plan.Note = h.note
	}
	return plan, err
}

// PlanRemoval implements tui.Clients.
func (h *clientHub) PlanRemoval(ctx context.Context, id, entry string) (clients.Plan, error) {
	client, err := h.find(id)
	if err != nil {
		return clients.Plan{}, err
	}
	return h.here(ctx).PlanRemove(client, entry, h.options)
}

// PlanRename implements tui.Clients.
func (h *clientHub) PlanRename(ctx context.Context, from, to string) (plans []clients.Plan, err error) {
	machine := h.here(ctx)
	for _, naming := range machine.Naming(from) {
		plan, planErr := machine.PlanRename(naming, from, to)
		if err = errors.Join(err, planErr); planErr == nil {
			plans = append(plans, plan)
		}
	}
	return plans, err
}

// Without implements tui.Clients.
func (h *clientHub) Without(ctx context.Context, nickname string) (said []string) {
	for _, naming := range h.here(ctx).Naming(nickname) {
		said = append(said, naming.GoesWithout())
	}
	return said
}

// Apply implements tui.Clients. ByLink it opens the link; whether the person agrees then is
// not known.
func (h *clientHub) Apply(ctx context.Context, plan clients.Plan) error {
	if plan.Way == clients.ByLink && h.open != nil {
		return h.openLink(ctx, plan)
	}
	return h.machine.Apply(ctx, plan)
}

// openLink opens the link of a plan.
func (h *clientHub) openLink(ctx context.Context, plan clients.Plan) error {
	limited, cancel := context.WithTimeout(ctx, openingPatience)
	defer cancel()
	err := h.open(limited, plan.Link)
	if err == nil || ctx.Err() == nil && limited.Err() != nil {
		return ctx.Err() // what opens links may run for as long as the client does
	}
	return &problem.Error{
		Code: codeNotOpened, Message: "The link to " + plan.Client.Name + " could not be opened: " + err.Error() + ".",
		Hint: problem.Say("Is %s installed? The link to open by hand, and what to paste instead: %v.", plan.Client.Name, problem.Run("install", plan.Client.ID).With("--print")), Err: err,
	}
}

// openingPatience is how long what opens links may take to fail.
const openingPatience = 5 * time.Second

// launched is what a client would start for an entry.
type launched struct {
	client clients.Client
	entry  clients.Entry
	launch clients.Launch
}

// launch returns what a client starts for the entry of that name, as entry has it.
func (h *clientHub) launch(ctx context.Context, id, name string) (l launched, err error) {
	if l.client, err = h.find(id); err != nil {
		return l, err
	}
	machine := h.here(ctx)
	var ok bool
	if l.entry, ok = h.entry(machine.Look(l.client), name); !ok {
		return l, notInClient(l.client)
	}
	l.launch, err = machine.Launch(l.client, l.entry, h.environ)
	return l, err
}

// Prove implements tui.Clients. What was proven is remembered until a proof of it fails.
func (h *clientHub) Prove(ctx context.Context, id, entry string, agreed bool, report func(proof.Step)) (proof.Result, error) {
	l, err := h.launch(ctx, id, entry)
	if err != nil {
		return proof.Result{}, err
	}
	if l.launch.Doubt != "" && (!agreed || l.launch.Never) {
		step := proof.Step{ID: proof.Start, Failed: true, Err: l.doubted(), Mend: proof.Agree}
		if l.launch.Never {
			step.Mend = proof.NoMend
		}
		if missing, ok := proof.Missing(l.launch); ok {
			step = h.mended(missing)
		}
		if report != nil {
			report(step)
		}
		return proof.Result{Steps: []proof.Step{step}}, step.Err
	}
	graphs, err := h.graphs(ctx)
	if err != nil {
		return proof.Result{}, err
	}
	result, err := h.run(ctx, l.launch, graphs, report)
	var at time.Time
	if err == nil {
		at = h.now()
	}
	if ctx.Err() == nil {
		_ = h.proofs.remember(l.client.ID, l.entry, at) // the proof stands all the same
	}
	return result, err
}

// proveGraph starts this program as a client would, for one graph alone, and calls it.
func (h *clientHub) proveGraph(ctx context.Context, nickname string, report func(proof.Step)) (proof.Result, error) {
	server := h.server.With(clients.Choice{Graphs: []string{nickname}})
	launch := clients.Launch{Name: server.Name, Command: server.Command, Args: server.Args, Env: h.environ, Dir: h.machine.Home, Graphs: []string{nickname}, Program: h.machine.Running}
	return h.run(ctx, launch, nil, report)
}

// run runs a proof. Where the path of this program is gone, an entry written anew would
// start nothing either: the program is to be installed first.
func (h *clientHub) run(ctx context.Context, launch clients.Launch, graphs []proof.Graph, report func(proof.Step)) (proof.Result, error) {
	result, err := proof.Run(ctx, launch, graphs, h.probes, func(step proof.Step) {
		if report != nil {
			report(h.mended(step))
		}
	})
	for i, step := range result.Steps {
		result.Steps[i] = h.mended(step)
		if step.Failed && step.Err == err {
			err = result.Steps[i].Err
		}
	}
	return result, err
}

// mended returns a step with the mend of where the path of this program is gone.
func (h *clientHub) mended(step proof.Step) proof.Step {
	if _, err := os.Stat(h.server.Command); step.Mend != proof.WriteAnew || !errors.Is(err, fs.ErrNotExist) {
		return step
	}
	told := *problem.FromError(step.Err)
	told.Hint = problem.Say("This program is no longer at %s: install roam-mcp again, and start it from there.", h.server.Command)
	step.Mend, step.Err = proof.InstallProgram, &told
	return step
}

func unknownClient(name string) error {
	hint := problem.Say("%s lists them.", problem.Run("clients"))
	if near := clients.Suggest(name); near != "" {
		hint = problem.Say("Did you mean %s?", near).Append(hint)
	}
	return &problem.Error{Code: codeUnknownClient, Message: "No client of that name is known.", Hint: hint}
}

// codeUnknownClient reports a name that is no client's.
const codeUnknownClient problem.Code = "UNKNOWN_CLIENT"

// codeNotOpened reports that a link could not be opened.
const codeNotOpened problem.Code = "LINK_NOT_OPENED"

// codeOtherProgram reports that an entry starts something else than this program alone,
// which is done only after a person has agreed.
const codeOtherProgram problem.Code = "PROGRAM_NOT_STARTED"

// doubted is the error of a launch that is not started, since nobody has agreed to it.
func (l launched) doubted() error {
	hint := problem.Say("In a terminal you are asked whether to start it. Or have the entry written anew: %s", problem.Run("install", l.client.ID))
	if l.launch.Never {
		hint = problem.Say("What lies in a project is never started. Have the entry start this program: %s", problem.Run("install", l.client.ID).With("--project"))
	}
	return &problem.Error{Code: codeOtherProgram, Message: "It was not started. " + l.launch.Doubt, Hint: hint}
}

// codeNotInClient reports that a client has no entry of roam-mcp.
const codeNotInClient problem.Code = "NOT_IN_CLIENT"

func notInClient(client clients.Client) error {
	return &problem.Error{
		Code: codeNotInClient, Message: client.Name + " has no entry of roam-mcp.",
		Hint: problem.Say("%s makes one.", problem.Run("install", client.ID)),
	}
}
