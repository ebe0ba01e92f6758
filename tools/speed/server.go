package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// contender is a server of Roam's tools.
type contender struct {
	name    string
	command []string
}

// server is a process that serves MCP over stdio. Its answers are read without decoding, so
// that it is the server that is measured.
type server struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	id      int
}

// start starts a contender with the files of a user, and initializes the connection.
func (c contender) start(ctx context.Context, home string, flags ...string) (*server, error) {
	s := &server{process: exec.CommandContext(ctx, c.command[0], append(c.command[1:], flags...)...)}
	s.process.Env = append(os.Environ(), userEnv(home)...)
	var err error
	if s.in, err = s.process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReaderSize(out, 1<<20)
	if err := s.process.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.name, err)
	}
	if err := s.ask("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "speed", "version": "1"},
	}); err != nil {
		return nil, fmt.Errorf("initialize %s: %w", c.name, err)
	}
	_, err = io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return s, err
}

func (s *server) close() {
	_ = s.in.Close()
	_ = s.process.Wait()
}

// call is a request to a tool.
type call struct {
	tool string
	args map[string]any
}

// do makes calls at the same time, and waits for all answers.
func (s *server) do(calls ...call) error {
	var lines bytes.Buffer
	for _, c := range calls {
		s.id++
		if err := json.NewEncoder(&lines).Encode(request(s.id, "tools/call", map[string]any{"name": c.tool, "arguments": c.args})); err != nil {
			return err
		}
	}
	if _, err := s.in.Write(lines.Bytes()); err != nil {
		return err
	}
	return s.answers(len(calls))
}

// ask makes a request that is no call.
func (s *server) ask(method string, params map[string]any) error {
	s.id++
	line, err := json.Marshal(request(s.id, method, params))
	if err != nil {
		return err
	}
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		return err
	}
	return s.answers(1)
}

func request(id int, method string, params map[string]any) map[string]any {
	return map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}
}

// answers reads so many answers, and passes over notifications.
func (s *server) answers(n int) error {
	defer time.AfterFunc(time.Minute, func() { _ = s.process.Process.Kill() }).Stop() // of one that says nothing
	for n > 0 {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("read an answer: %w", err)
		}
		if bytes.Contains(line, []byte(`"isError":true`)) || bytes.Contains(line, []byte(`"error":{`)) {
			return fmt.Errorf("the answer is an error: %.400s", line)
		}
		if bytes.Contains(line, []byte(`"result":`)) {
			n--
		}
	}
	return nil
}

// userEnv points a program at the files of a user.
func userEnv(home string) []string {
	return strings.Fields(strings.NewReplacer("~", home).Replace("HOME=~ USERPROFILE=~ XDG_STATE_HOME=~/state XDG_CONFIG_HOME=~/config XDG_CACHE_HOME=~/cache ROAM_MCP_CONFIG= GOMEMLIMIT= "))
}
