package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"roam-mcp/tools/evaluation"
)

func build(ctx context.Context, program string) error {
	command := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/roam-mcp")
	command.Dir = ".." // from the folder tools
	if text, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w: %s", err, text)
	}
	return nil
}

// askAgent runs the agent's command.
func (o options) askAgent(ctx context.Context, program string, task evaluation.Task, w *evaluation.World, r *result) (string, error) {
	log, config := filepath.Join(w.Home, "calls.log"), filepath.Join(w.Home, "mcp.json")
	if err := writeClientConfig(config, program, log, task, w); err != nil {
		return "", err
	}
	arguments := slices.Clone(o.command)
	prompted := false
	for i, argument := range arguments {
		prompted = prompted || strings.Contains(argument, "{prompt}")
		arguments[i] = strings.NewReplacer("{prompt}", task.Prompt, "{config}", config).Replace(argument)
	}
	command := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	command.WaitDelay = 10 * time.Second // for what it has started and left
	if !prompted {
		command.Stdin = strings.NewReader(task.Prompt)
	}
	var answer, complaints bytes.Buffer
	command.Stdout, command.Stderr = &answer, &complaints
	watching, stop := context.WithCancel(ctx)
	watched := make(chan error, 1)
	go func() { watched <- watch(watching, log, w) }()
	err := command.Run()
	stop()
	if unseen := <-watched; unseen != nil {
		return "", unseen
	}
	if err != nil {
		err = fmt.Errorf("the agent: %w: %.500s", err, complaints.String())
	}
	return strings.TrimSpace(answer.String()), errors.Join(err, count(log, r))
}

// writeClientConfig writes what an MCP client needs to start the server.
func writeClientConfig(path, program, log string, task evaluation.Task, w *evaluation.World) error {
	type server struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}
	args := []string{"serve", "--config", w.Config}
	if task.Profile != "" {
		args = append(args, "--profile", task.Profile)
	}
	text, err := json.MarshalIndent(map[string]map[string]server{"mcpServers": {"roam": {
		Command: program, Args: append(args, "--log-file", log),
		Env: map[string]string{"HOME": w.Home, "USERPROFILE": w.Home, "XDG_STATE_HOME": filepath.Join(w.Home, "state")},
	}}}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// count counts the calls in the server's log, and the bytes of their replies.
func count(log string, r *result) error {
	calls, err := callsIn(log)
	for _, each := range calls {
		r.calls++
		r.bytes += each.Bytes
	}
	return err
}

// watch tells the world of each call that the server's log has, until ctx is done: a person
// may be about to edit the graph then.
func watch(ctx context.Context, log string, w *evaluation.World) error {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for told := 0; ; {
		last := ctx.Err() != nil
		calls, err := callsIn(log)
		if err != nil {
			return err
		}
		for ; told < len(calls); told++ {
			if err := w.Answered(context.WithoutCancel(ctx), calls[told].Tool); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// called is a call in the server's log.
type called struct {
	Tool  string `json:"tool"`
	Bytes int    `json:"bytes"`
}

// callsIn returns the calls that a log has so far.
func callsIn(log string) ([]called, error) {
	file, err := os.Open(log)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the agent has not started the server
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var calls []called
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var call called
		if json.Unmarshal(lines.Bytes(), &call) == nil && call.Tool != "" {
			calls = append(calls, call)
		}
	}
	return calls, lines.Err()
}
