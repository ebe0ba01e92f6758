package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// contender is a program that answers questions about the notes.
type contender interface {
	// start begins, and may read the notes.
	start(ctx context.Context) error
	// answer returns nil, false for a kind of question that it has nothing for.
	answer(ctx context.Context, q question) (titles []string, ok bool, err error)
	// calls returns how often it has asked the program behind it; below 0: there is none.
	calls() int
	close()
}

// server is an MCP server over stdio.
type server struct {
	command []string
	env     []string // besides this process's
	session *mcp.ClientSession
	asked   func() int // nil: it asks nobody
	ready   func(ctx context.Context, s *server) error
	tools   map[kind]tool
}

// tool says how a kind of question is put to a server, and how its answer is read.
type tool struct {
	name      string
	arguments func(q question) map[string]any
	read      func(q question, text string) ([]string, error)
}

func (s *server) start(ctx context.Context) error {
	command := exec.Command(s.command[0], s.command[1:]...)
	command.Env = append(os.Environ(), s.env...)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "peers", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: command, TerminateDuration: 2 * time.Second}, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(s.command, " "), err)
	}
	s.session = session
	if s.ready == nil {
		return nil
	}
	return s.ready(ctx, s)
}

func (s *server) answer(ctx context.Context, q question) ([]string, bool, error) {
	t, ok := s.tools[q.kind]
	if !ok {
		return nil, false, nil
	}
	text, err := s.call(ctx, t.name, t.arguments(q))
	if err != nil {
		return nil, true, err
	}
	titles, err := t.read(q, text)
	return titles, true, err
}

// call returns the first text of a tool's answer.
func (s *server) call(ctx context.Context, name string, arguments map[string]any) (string, error) {
	result, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return "", err
	}
	if len(result.Content) == 0 {
		return "", errors.New("an empty answer")
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok || result.IsError {
		return "", fmt.Errorf("%s answered with an error: %.200v", name, text)
	}
	return text.Text, nil
}

func (s *server) calls() int {
	if s.asked == nil {
		return -1
	}
	return s.asked()
}

func (s *server) close() {
	if s.session != nil {
		_ = s.session.Close() // it is told to end, and then ended
	}
}

// field reads the titles in a field of the objects of a list, which stands in the fields
// above of the answer.
func field(name string, above ...string) func(question, string) ([]string, error) {
	return func(_ question, text string) ([]string, error) {
		value, err := within(text, above)
		if err != nil {
			return nil, err
		}
		var list []map[string]any
		if err := json.Unmarshal(value, &list); err != nil {
			return nil, fmt.Errorf("%w in %.200s", err, text)
		}
		var titles []string
		for _, each := range list {
			if title := strings.ToLower(strings.TrimSuffix(fmt.Sprint(each[name]), ".md")); !slices.Contains(titles, title) {
				titles = append(titles, title)
			}
		}
		return sorted(titles), nil
	}
}

// within returns what stands in a field of a field of a JSON object.
func within(text string, above []string) (json.RawMessage, error) {
	value := json.RawMessage(text)
	for _, name := range above {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(value, &object); err != nil {
			return nil, fmt.Errorf("%w in %.200s", err, text)
		}
		value = object[name]
	}
	return value, nil
}

// length reads the length of a way: that of the list of notes in a field, less one.
func length(_ question, text string) ([]string, error) {
	if !strings.HasPrefix(text, "{") { // null, or a sentence
		return []string{"none"}, nil
	}
	var way struct {
		Path  []string
		Paths [][]string
	}
	if err := json.Unmarshal([]byte(text), &way); err != nil {
		return nil, fmt.Errorf("%w in %.200s", err, text)
	}
	best := way.Path
	for _, each := range way.Paths {
		if len(best) == 0 || len(each) < len(best) {
			best = each
		}
	}
	if len(best) == 0 {
		return []string{"none"}, nil
	}
	return []string{strconv.Itoa(len(best) - 1)}, nil
}
