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

	"roam-mcp/internal/testutil/evaluation"
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
	if err := writeClientConfig(config, program, log, w); err != nil {
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
	err := command.Run()
	if err != nil {
		err = fmt.Errorf("the agent: %w: %.500s", err, complaints.String())
	}
	return strings.TrimSpace(answer.String()), errors.Join(err, count(log, r))
}

// writeClientConfig writes what an MCP client needs to start the server.
func writeClientConfig(path, program, log string, w *evaluation.World) error {
	type server struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}
	text, err := json.MarshalIndent(map[string]map[string]server{"mcpServers": {"roam": {
		Command: program, Args: []string{"serve", "--config", w.Config, "--log-file", log},
		Env: map[string]string{"HOME": w.Home, "USERPROFILE": w.Home, "XDG_STATE_HOME": filepath.Join(w.Home, "state")},
	}}}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// count counts the calls in the server's log, and the bytes of their replies.
func count(log string, r *result) error {
	file, err := os.Open(log)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the agent has not started the server
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var call struct {
			Tool  string `json:"tool"`
			Bytes int    `json:"bytes"`
		}
		if json.Unmarshal(lines.Bytes(), &call) == nil && call.Tool != "" {
			r.calls++
			r.bytes += call.Bytes
		}
	}
	return lines.Err()
}
