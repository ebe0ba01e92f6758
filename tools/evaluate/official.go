package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/tools/evaluation"
	"roam-mcp/tools/evaluation/reference"
)

var errNoTool = errors.New("the official server has no tool for this")

// askOfficial solves a task with the official server, by a script.
func (o options) askOfficial(ctx context.Context, task evaluation.Task, w *evaluation.World, r *result) (string, error) {
	solution := reference.Official()[task.Name]
	if solution == nil {
		return "", errNoTool
	}
	if err := writeOfficialConfig(w); err != nil {
		return "", err
	}
	command := exec.Command(o.command[0], o.command[1:]...)
	command.Env = append(os.Environ(), "HOME="+w.Home, "USERPROFILE="+w.Home)
	command.Stderr = os.Stderr
	session, err := mcp.NewClient(&mcp.Implementation{Name: "evaluate", Version: "1"}, nil).
		Connect(ctx, &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		return "", err
	}
	s := evaluation.NewScript(ctx, session, w.Today, nil)
	answer := solution(s)
	r.calls, r.bytes = s.Calls, s.Bytes
	return answer, errors.Join(s.Err(), session.Close())
}

// writeOfficialConfig writes the file of the official tools.
func writeOfficialConfig(w *evaluation.World) error {
	var graphs []map[string]string
	for _, entry := range w.Tokens {
		graphs = append(graphs, map[string]string{
			"name": entry.Name, "type": string(entry.Type), "token": entry.Token.Reveal(), "nickname": entry.Nickname, "accessLevel": string(entry.AccessLevel),
		})
	}
	text, err := json.Marshal(map[string]any{"version": 1, "graphs": graphs})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(w.Home, ".roam-tools.json"), text, 0o600)
}

// writeRecord writes the figures that reference.Recorded reads.
func writeRecord(path string, results []result) error {
	record := reference.Run{Server: "roam-mcp 0.5.1", Tasks: map[string]reference.Cost{}}
	for _, r := range results {
		if r.err == nil {
			record.Tasks[r.task] = reference.Cost{Calls: r.calls, Bytes: r.bytes}
		}
	}
	text, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
