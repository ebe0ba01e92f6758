package mcpserve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// Inside the server texts are as Roam has them. Escapes (package visible) are read where
// a message comes in, and written where a result, an error or a question goes out.

// readEscapes reads the escapes in what a client sends.
func readEscapes(request mcp.Request) {
	switch r := request.(type) {
	case *mcp.CallToolRequest:
		if r.Params != nil {
			r.Params.Arguments = textsafe.UnescapeJSON(r.Params.Arguments)
		}
	case *mcp.GetPromptRequest:
		for name, value := range r.Params.Arguments {
			r.Params.Arguments[name] = textsafe.Unescape(value)
		}
	case *mcp.CompleteRequest:
		r.Params.Argument.Value = textsafe.Unescape(r.Params.Argument.Value)
	}
}

// readShown reads what replies have made of texts in the arguments: shortened addresses and
// marks.
func readShown(ctx context.Context, c *call) error {
	sent := c.request.Params.Arguments
	texts, err := restoreData(ctx, c, sent)
	if err == nil {
		texts, err = readMarks(ctx, c, texts)
	}
	if err == nil && !bytes.Equal(texts, sent) {
		c.args, err = c.server.offering.profile.Parse(c.tool, texts, c.view.choosing())
	}
	return err
}

// readMarks returns arguments without the marks that reads have added to texts which this
// connection was shown, and where what was never shown counts as shown, also without the
// previews that are true now. The tags of Markdown stay, which say where blocks end. A call
// that writes is refused where its texts have others, which Roam would remove silently.
func readMarks(ctx context.Context, c *call, raw json.RawMessage) (json.RawMessage, error) {
	if !bytes.ContainsRune(raw, '<') && !bytes.Contains(raw, []byte(`\u003`)) {
		return raw, nil
	}
	var known map[string]bool // which counts as shown
	if c.server.options.OverwriteUnread {
		known = previewsIn(ctx, c.Graph(), string(raw))
	}
	was := func(mark string) bool {
		written := textsafe.Escape(mark, textsafe.Markup{Tags: true, Previews: map[string]bool{mark: true}})
		isMark := strings.HasPrefix(written, "<roam") || strings.Contains(written, "))<ref>") // and was not shown as a text
		return known[mark] || isMark && c.Shown().Showed(written)
	}
	var refused error
	without := textsafe.MapStrings(raw, func(key, text string) string {
		p, bare := c.tool.Param(key), outline.WithoutMarks(text, was)
		var cut error // which the tool reports
		switch {
		case p.AsRead:
			_, cut = ops.StoredText(text)
			text = outline.WithoutPreviews(text, was)
		case p.Markdown:
			text = outline.WithoutPreviews(text, was)
		case !p.IsSought():
			text = bare
		}
		lost := bare
		if ops.KeepsMarks(bare) {
			lost = ""
		} else if p.Markdown {
			lost = markdown.Parse(bare).Stripped
		}
		if c.tool.Writes() && !p.IsSought() && cut == nil && lost != "" && refused == nil {
			refused = ops.UnwritableMark(lost)
			for p := range textsafe.Previews(bare) {
				if c.Shown().Showed("((" + p.UID + "))<ref>") {
					refused = ops.ChangedPreview(p.UID)
				}
			}
		}
		return text
	})
	return without, refused
}

// writeEscapes writes those of errors: of the result, or of the error that it returns.
func writeEscapes(result mcp.Result, err error) error {
	if failed, isTool := result.(*mcp.CallToolResult); isTool && failed != nil && failed.IsError {
		for _, each := range failed.Content {
			if text, isText := each.(*mcp.TextContent); isText {
				text.Text = string(escapeEither([]byte(text.Text)))
			}
		}
	}
	var coded *jsonrpc.Error
	if errors.As(err, &coded) {
		written := &jsonrpc.Error{Code: coded.Code, Message: textsafe.ShortenData(textsafe.Escape(coded.Message, textsafe.Markup{})), Data: escapeEither(coded.Data)}
		if written.Message != coded.Message || !bytes.Equal(written.Data, coded.Data) {
			return written
		}
	}
	return err
}

// escapeEither writes the escapes of an error, which is JSON or prose.
func escapeEither(text []byte) []byte {
	if json.Valid(text) {
		return []byte(textsafe.ShortenData(string(textsafe.EscapeJSON(text, func(key string) textsafe.Markup { return markupOfKey(key, nil) }))))
	}
	return []byte(textsafe.ShortenData(textsafe.Escape(string(text), textsafe.Markup{})))
}

// markupOfKey returns the markup that the value of a member has where replies show blocks
// as Roam's reads do.
func markupOfKey(key string, previews map[string]bool) textsafe.Markup {
	switch key {
	case "markdown", "was", "sent", "stored", "guidelines":
		return textsafe.Markup{Tags: true, Previews: previews}
	case "roamSyntax":
		return textsafe.Markup{Own: true}
	}
	return textsafe.Markup{Previews: previews}
}

// markup returns the markup that the value of a member has in a reply.
func (c replyWriter) markup(key string, previews map[string]bool) textsafe.Markup {
	switch {
	case c.tool.Run == nil && key == "content": // what a profile says of its contents
		return textsafe.Markup{Own: true}
	case c.tool.Run == nil, c.server.offering.profile.Style == surface.Labelled:
		return markupOfKey(key, previews)
	}
	return textsafe.Markup{Previews: previews}
}

// previewsIn returns what in a text reads like a preview and is one: its words are those of
// the block that it stands behind the reference to. What can't be looked up is none.
func previewsIn(ctx context.Context, graph *ops.Graph, text string) map[string]bool {
	if !strings.Contains(text, "</ref>") {
		return nil
	}
	var all []textsafe.Preview
	collect := func(_, s string) string {
		all = slices.AppendSeq(all, textsafe.Previews(s))
		return s
	}
	if json.Valid([]byte(text)) {
		textsafe.MapStrings([]byte(text), collect)
	} else {
		collect("", text)
	}
	return graph.TruePreviews(ctx, all)
}

// mostRounds is how often a reply is cut again since its escapes made it too long.
const mostRounds = 8

// shownReply is a reply with the text that the client gets of it.
type shownReply struct {
	surface.Reply        // as it was cut; its JSON has escapes
	text          string // as it was cut, without
	whole         string // with escapes
	visible       string // as the client gets it: with escapes, and with shortened addresses
	previews      map[string]bool
}

// written returns a reply as the client gets it: cut, with escapes, and within the size of
// a reply with these.
func (c replyWriter) written(ctx context.Context, reply surface.Reply) (shownReply, error) {
	var previews map[string]bool // of the first round, which shows most
	for most, round := c.MaxReply(), 1; ; round++ {
		s, err := c.fitInto(reply, most)
		if err != nil {
			return s, err
		}
		if round == 1 {
			previews = previewsIn(ctx, c.Graph(), s.text)
		}
		s = c.escape(s, previews)
		if s.visible == s.text || round == mostRounds || surface.Fits(s.visible, c.MaxReply()) {
			return s, err
		}
		most = max(1, min(most*9/10, most*c.MaxReply()/textsafe.CountTokens(s.visible)))
	}
}

// fitInto cuts a reply to so many tokens.
func (c replyWriter) fitInto(reply surface.Reply, most int) (s shownReply, err error) {
	if reply.JSON == nil {
		return shownReply{Reply: reply, text: surface.FitProse(reply, surface.Frame{Tool: c.tool, Max: most})}, nil
	}
	s.Reply, err = c.fit(reply, most)
	s.text = string(s.JSON)
	return s, err
}

// escape writes the escapes of a reply that was cut, and shortens data: addresses.
func (c replyWriter) escape(s shownReply, previews map[string]bool) shownReply {
	s.previews = previews
	if s.JSON == nil {
		s.whole = textsafe.Escape(s.text, textsafe.Markup{Previews: previews})
	} else if written := textsafe.EscapeJSON(s.JSON, func(key string) textsafe.Markup { return c.markup(key, previews) }); bytes.Equal(written, s.JSON) {
		s.whole = s.text
	} else {
		s.whole = string(written)
	}
	if s.visible = textsafe.ShortenData(s.whole); s.JSON != nil && s.visible != s.text {
		s.JSON = json.RawMessage(s.visible)
	}
	return s
}

// visibleQuestion returns a question to a person with the escapes of its text.
func visibleQuestion(question *mcp.ElicitParams) *mcp.ElicitParams {
	written := *question
	written.Message = textsafe.Escape(question.Message, textsafe.Markup{})
	return &written
}
