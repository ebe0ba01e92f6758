package evaluation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Script calls tools in the place of an agent, and counts. The first call that fails ends
// it: those after it do nothing, and Err tells.
type Script struct {
	ctx     context.Context
	session *mcp.ClientSession
	err     error
	after   func(tool string) error

	Today time.Time // as the world has it
	Calls int
	Bytes int // of arguments and replies, as JSON
}

// NewScript returns a script for a session. after is called with the tool of each call that
// was answered; nil: nothing is.
func NewScript(ctx context.Context, session *mcp.ClientSession, today time.Time, after func(tool string) error) *Script {
	if after == nil {
		after = func(string) error { return nil }
	}
	return &Script{ctx: ctx, session: session, after: after, Today: today}
}

// Args are the arguments of a call.
type Args map[string]any

// Reply is the text of a reply.
type Reply string

// Call calls a tool.
func (s *Script) Call(tool string, args Args) Reply {
	reply, refused := s.Try(tool, args)
	if refused {
		s.Fail("%s: %.1000s", tool, reply)
	}
	return reply
}

// Try calls a tool, and reports whether the call was refused; the reply is what a model
// is told of that.
func (s *Script) Try(tool string, args Args) (reply Reply, refused bool) {
	if s.err != nil {
		return "", false
	}
	sent, err := json.Marshal(args)
	if err != nil {
		s.err = err
		return "", false
	}
	var text strings.Builder
	result, err := s.session.CallTool(s.ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(sent)})
	var rpc *jsonrpc.Error
	switch {
	case errors.As(err, &rpc):
		text.WriteString(rpc.Message)
		refused = true
	case err != nil:
		s.err = fmt.Errorf("%s %s: %w", tool, sent, err)
		return "", false
	default:
		for _, content := range result.Content {
			if part, ok := content.(*mcp.TextContent); ok {
				text.WriteString(part.Text + "\n")
			}
		}
		refused = result.IsError
	}
	s.Calls++
	s.Bytes += len(sent) + text.Len()
	if err := s.after(tool); err != nil {
		s.err = err
	}
	return Reply(strings.TrimSuffix(text.String(), "\n")), refused
}

// Err returns the error of the first call that failed.
func (s *Script) Err() error { return s.err }

// Fail ends the script with an error, unless one ended it before.
func (s *Script) Fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// Decode reads the reply as JSON, for a reply that is none as an empty object.
func (r Reply) Decode() map[string]any {
	var object map[string]any
	if start := strings.IndexByte(string(r), '{'); start >= 0 { // the official server begins with a line about the graph
		_ = json.NewDecoder(strings.NewReader(string(r[start:]))).Decode(&object) // a second text may follow
	}
	return object
}

// Text returns a field of the reply, "" if there is none.
func (r Reply) Text(field string) string {
	text, _ := r.Decode()[field].(string)
	return text
}

// Markdown returns all the markdown of a reply, also that of its results.
func (r Reply) Markdown() string {
	var all []string
	var walk func(any)
	walk = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			if markdown, ok := value["markdown"].(string); ok {
				all = append(all, markdown)
			}
			for _, inner := range value {
				walk(inner)
			}
		case []any:
			for _, inner := range value {
				walk(inner)
			}
		}
	}
	walk(map[string]any(r.Decode()))
	return strings.Join(all, "\n")
}

// Line returns the first line of the markdown that matches, without its tag.
func (r Reply) Line(pattern string) string {
	line, _ := r.find(pattern)
	return line
}

// UID returns the uid in the tag of the first line of the markdown that matches.
func (r Reply) UID(pattern string) string {
	_, uid := r.find(pattern)
	return uid
}

// UIDs returns the uids in the tags of all lines of the markdown that match.
func (r Reply) UIDs(pattern string) []string {
	var uids []string
	for line := range strings.Lines(r.Markdown()) {
		if tag := roamTag.FindStringSubmatch(line); tag != nil && matches(pattern, line) {
			uids = append(uids, tag[1])
		}
	}
	return uids
}

// Lines returns all lines of the markdown that match, without tags.
func (r Reply) Lines(pattern string) []string {
	var lines []string
	for line := range strings.Lines(r.Markdown()) {
		if matches(pattern, line) {
			lines = append(lines, bare(line))
		}
	}
	return lines
}

var roamTag = regexp.MustCompile(`\s*<roam [^>]*?uid="([^"]*)"[^>]*>`)

func bare(line string) string {
	return strings.TrimPrefix(strings.TrimSpace(roamTag.ReplaceAllString(line, "")), "- ")
}

func (r Reply) find(pattern string) (line, uid string) {
	for line := range strings.Lines(r.Markdown()) {
		if !matches(pattern, line) {
			continue
		}
		if tag := roamTag.FindStringSubmatch(line); tag != nil {
			uid = tag[1]
		}
		return bare(line), uid
	}
	return "", ""
}
