package mcpserve

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

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
		written := &jsonrpc.Error{Code: coded.Code, Message: textsafe.ShortenData(textsafe.Escape(coded.Message, textsafe.Previews)), Data: escapeEither(coded.Data)}
		if written.Message != coded.Message || !bytes.Equal(written.Data, coded.Data) {
			return written
		}
	}
	return err
}

// escapeEither writes the escapes of an error, which is JSON or prose.
func escapeEither(text []byte) []byte {
	if json.Valid(text) {
		return []byte(textsafe.ShortenData(string(textsafe.EscapeJSON(text, markupOfKey))))
	}
	return []byte(textsafe.ShortenData(textsafe.Escape(string(text), textsafe.Previews)))
}

// markupOfKey returns the markup that the value of a member has where replies show blocks
// as Roam's reads do.
func markupOfKey(key string) textsafe.Markup {
	switch key {
	case "markdown", "was", "sent", "stored", "guidelines":
		return textsafe.Tags
	case "roamSyntax":
		return textsafe.Own
	}
	return textsafe.Previews
}

// markupOfGuide returns the markup that the value of a member has in replies of the
// server's own tools: what a profile says of its contents names it.
func markupOfGuide(key string) textsafe.Markup {
	if key == "content" {
		return textsafe.Own
	}
	return markupOfKey(key)
}

// mostRounds is how often a reply is cut again since its escapes made it too long.
const mostRounds = 8

// shownReply is a reply with the text that the client gets of it.
type shownReply struct {
	surface.Reply        // as it was cut; its JSON has escapes
	text          string // as it was cut, without
	visible       string // with escapes
}

// written returns a reply as the client gets it: cut, with escapes, and within the size of
// a reply with these.
func (c replyWriter) written(reply surface.Reply) (shownReply, error) {
	for most, round := c.MaxReply(), 1; ; round++ {
		s, err := c.fitInto(reply, most)
		if err != nil || s.visible == s.text || round == mostRounds || surface.Fits(s.visible, c.MaxReply()) {
			return s, err
		}
		most = max(1, min(most*9/10, most*c.MaxReply()/textsafe.CountTokens(s.visible)))
	}
}

// fitInto cuts a reply to so many tokens, writes its escapes, and shortens data: addresses.
func (c replyWriter) fitInto(reply surface.Reply, most int) (s shownReply, err error) {
	if reply.JSON == nil {
		s.Reply, s.text = reply, surface.FitProse(reply, surface.Frame{Tool: c.tool, Max: most})
		s.visible = textsafe.ShortenData(textsafe.Escape(s.text, textsafe.Previews))
		return s, nil
	}
	if s.Reply, err = c.fit(reply, most); err != nil {
		return s, err
	}
	has := markupOfKey
	switch {
	case c.tool.Run == nil:
		has = markupOfGuide
	case c.server.offering.profile.Style != surface.Labelled:
		has = func(string) textsafe.Markup { return textsafe.Previews }
	}
	s.text = string(s.JSON)
	if s.visible = textsafe.ShortenData(string(textsafe.EscapeJSON(s.JSON, has))); s.visible != s.text {
		s.JSON = json.RawMessage(s.visible)
	}
	return s, nil
}

// visibleQuestion returns a question to a person with the escapes of its text.
func visibleQuestion(question *mcp.ElicitParams) *mcp.ElicitParams {
	written := *question
	written.Message = textsafe.Escape(question.Message, textsafe.Previews)
	return &written
}
