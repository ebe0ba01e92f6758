package mcpserve

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// largeText is the size in bytes from which the text of a result is encoded
	// here. The library encodes it once and copies it twice more, byte by byte.
	largeText = 8 << 10
	// placeholderPrefix begins every placeholder.
	placeholderPrefix = "roam-mcp-text-"
)

// placeholders stand for the large texts of results while the library encodes
// the results; the transport fills them in. Each is random, so that nothing from
// outside can pass for one, and valid until its request is answered or cancelled.
type placeholders struct {
	mu    sync.Mutex
	texts map[string]string // by placeholder
}

func newPlaceholders() *placeholders { return &placeholders{texts: map[string]string{}} }

type fillsKey struct{}

// filled is the context of a transport that sends its messages through fill.
func filled(ctx context.Context) context.Context { return context.WithValue(ctx, fillsKey{}, true) }

// middleware puts a placeholder into each large result of a tool, where the
// transport fills it in. It has to be the outermost one: the context of the
// request ends once the result is written.
func (p *placeholders) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, request)
		called, isCall := result.(*mcp.CallToolResult)
		if err != nil || !isCall || len(called.Content) == 0 || ctx.Value(fillsKey{}) == nil {
			return result, err
		}
		if text, isText := called.Content[0].(*mcp.TextContent); isText && len(text.Text) >= largeText {
			called.Content[0] = &mcp.TextContent{Text: p.hold(ctx, text.Text)}
		}
		return result, nil
	}
}

// hold returns a placeholder for a text, valid until ctx ends.
func (p *placeholders) hold(ctx context.Context, text string) string {
	placeholder := placeholderPrefix + rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.texts[placeholder] = text
	context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.texts, placeholder)
	})
	return placeholder
}

func (p *placeholders) find(placeholder []byte) (text string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text, ok = p.texts[string(placeholder)]
	return text, ok
}

// fill replaces the placeholders in an encoded message by their texts.
func (p *placeholders) fill(message []byte) []byte {
	for from := 0; ; {
		at := bytes.Index(message[from:], []byte(`"`+placeholderPrefix))
		if at < 0 {
			return message
		}
		at += from
		from = at + 1
		length := bytes.IndexByte(message[from:], '"')
		if length < 0 {
			return message
		}
		text, known := p.find(message[from : from+length])
		if !known {
			continue
		}
		var out bytes.Buffer
		out.Grow(len(message) + len(text)*5/4)
		out.Write(message[:at])
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(text) // a string is always encoded
		end := out.Len() - 1
		out.Truncate(end) // the line break that Encode adds
		out.Write(message[from+length+1:])
		message, from = out.Bytes(), end
	}
}
