package mcpserve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/ops"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// say puts a reply into the result, in the style of the profile and cut to the size of
// a reply, and returns the size of its text.
func (c replyWriter) say(ctx context.Context, reply surface.Reply, result *mcp.CallToolResult) (size int, err error) {
	var compact bytes.Buffer // what Roam put between values is passed to nobody, nor measured
	if json.Compact(&compact, reply.JSON) == nil {
		reply.JSON = compact.Bytes()
	}
	s, err := c.written(ctx, reply)
	if err != nil {
		return 0, err
	}
	text, note := s.visible, textsafe.ShortenData(textsafe.Escape(s.Note, textsafe.Markup{}))
	if s.JSON != nil && c.tool.Output != nil && rawjson.IsObject(s.JSON) {
		result.StructuredContent = s.JSON
	}
	c.remember(func(memory shown.Graph) {
		if s.Remember(memory, []byte(s.text)); c.server.offering.profile.ShowsTexts {
			memory.KeepReply(s.whole)
		} else if len(s.previews) > 0 { // alone, so that the notes of more replies are remembered
			memory.KeepReply(textsafe.Escape(strings.Join(slices.Collect(maps.Keys(s.previews)), "\n"), textsafe.Markup{Previews: s.previews}))
		}
	})
	result.Content = []mcp.Content{&mcp.TextContent{Text: text}}
	if note != "" {
		result.Content = append(result.Content, &mcp.TextContent{Text: note})
	}
	c.seen.Replied(joinNotes(text, note))
	for _, image := range reply.Images {
		result.Content = append(result.Content, &mcp.ImageContent{Data: image.Data, MIMEType: image.MediaType})
	}
	result.Meta = c.meta()
	return len(text) + len(note), nil
}

// remember runs what remembers something that the connection is shown of the graph, unless
// that is not served any more.
func (c replyWriter) remember(run func(memory shown.Graph)) {
	c.server.sessions.remember(c.target.entry.Graph(), func() { run(c.Shown()) })
}

// fit cuts a reply that has more than most tokens, and says where what it shows a part of
// goes on.
func (c replyWriter) fit(reply surface.Reply, most int) (surface.Reply, error) {
	if reply.Passage == nil {
		return c.cut(reply, most)
	}
	reply.JSON = reply.Passage.Into(reply.JSON)
	reply, err := c.cut(reply, most)
	if err == nil {
		reply.Note = joinNotes(c.World().Say(reply.Passage.Goes(reply.JSON)), reply.Note)
	}
	return reply, err
}

// cut cuts a reply that has more than most tokens.
func (c replyWriter) cut(reply surface.Reply, most int) (surface.Reply, error) {
	frame := surface.Frame{Tool: c.tool, Args: c.args, World: c.World(), Max: most, Total: reply.Total, Passage: reply.Passage}
	if c.server.offering.profile.Style == surface.Bare {
		shorter, note, err := surface.FitBare(reply.JSON, frame)
		reply.JSON, reply.Note = shorter, joinNotes(reply.Note, note)
		return reply, err
	}
	shorter, err := surface.Fit(reply.JSON, frame)
	if err != nil && !c.tool.Writes() {
		return reply, err
	}
	if err != nil {
		shorter = surface.FitWrite(len(reply.JSON), c.names(), frame)
	}
	reply.JSON = shorter
	return reply, nil
}

// meta names the graph beside a reply that has no room for it in itself, and says of
// when it is what a mirror told, and of a write how many blocks it changed, what Roam does
// with it, and its number in the journal.
func (c replyWriter) meta() mcp.Meta {
	meta := mcp.Meta{}
	if c.counts != nil {
		meta["blocks"] = c.counts
	}
	if c.repeated && c.server.offering.profile.Style != surface.Labelled {
		meta[fieldRepeated] = true
	}
	if number := c.number(); number != 0 {
		meta[metaChange] = strconv.FormatInt(number, 10)
	}
	if impact := c.impact(); impact != nil && c.server.offering.profile.Style != surface.Labelled {
		meta[fieldEffect] = impact
	}
	if c.server.offering.profile.Style != surface.Labelled && c.target.entry.Name != "" {
		meta["graph"], meta["graphName"] = textsafe.Escape(c.target.label, textsafe.Markup{}), c.target.entry.Name
		if !c.asOf.IsZero() {
			meta["asOf"] = c.asOf.UTC().Format("2006-01-02T15:04:05.000Z07:00")
		}
	}
	if len(meta) == 0 {
		return nil
	}
	return meta
}

const (
	metaChange  = "change" // the number in the journal of a call that wrote something
	fieldEffect = "effect" // what deletions, renames and merges do
)

// number returns the number in the journal of the call, or of the same one before; 0: nothing of it is
// recorded.
func (c replyWriter) number() int64 { return cmp.Or(c.recording.Number(), c.before.number) }

// impact returns what the call, or the same one before, has done besides; nil: nothing that is known.
func (c replyWriter) impact() *ops.Impact {
	if c.graph == nil {
		return nil
	}
	return cmp.Or(c.graph.Impact(), c.before.impact)
}

// nameChange says in the result of a call that failed under which number it is recorded, if it is.
func (c replyWriter) nameChange(result *mcp.CallToolResult) {
	number := c.number()
	if result == nil || number == 0 {
		return
	}
	if result.Meta == nil {
		result.Meta = mcp.Meta{}
	}
	result.Meta[metaChange] = strconv.FormatInt(number, 10)
}

func joinNotes(notes ...string) string {
	var said []string
	for _, note := range notes {
		if note != "" {
			said = append(said, note)
		}
	}
	return strings.Join(said, " ")
}

// unchosen is an error about the configuration, the choice of a graph or a ticket. No
// profile has a form of its own for it.
type unchosen struct{ error }

func (e unchosen) Unwrap() error { return e.error }

// failure returns an error in the form of the profile, if it is about what the
// profile's clients know of.
func (c replyWriter) failure(failed *problem.Error, own bool) surface.Failure {
	if own || c.tool.Run == nil {
		return surface.Failure{Text: surface.FailureJSON(failed, c.World(), c.server.maxReply)}
	}
	if explain := c.server.offering.profile.Explain; explain != nil {
		failed = explain(c.tool, failed)
	}
	return c.server.offering.failure(failed, c.World(), c.server.maxReply)
}

// failure returns an error in the form of the profile.
func (o offering) failure(failed *problem.Error, world problem.World, max int) surface.Failure {
	if o.profile.Fail == nil {
		return surface.Failure{Text: surface.FailureJSON(failed, world, max)}
	}
	return o.profile.Fail(failed, world, max)
}

// failureResult returns a failure as the library takes it, and the size of its text.
func failureResult(f surface.Failure) (*mcp.CallToolResult, int, error) {
	if f.Code != 0 {
		return nil, len(f.Message) + len(f.Data), &jsonrpc.Error{Code: f.Code, Message: f.Message, Data: f.Data}
	}
	result := &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: f.Text}}}
	if f.Reason != "" {
		result.Meta = mcp.Meta{"code": string(f.Reason)}
	}
	return result, len(f.Text), nil
}
