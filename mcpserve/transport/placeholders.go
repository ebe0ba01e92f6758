package transport

import (
	"bytes"
	"context"
	"crypto/rand"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/rawjson"
)

// While the library encodes a result, a placeholder stands for its text where
// that is large: the library would encode the text once, with escapes for HTML, and
// copy it twice more, byte by byte. The transport passes what it writes through Fill.

const (
	// largeText is the size in bytes from which a placeholder stands for a text.
	largeText = 1 << 10
	// placeholderPrefix begins every placeholder. What follows is random, so that
	// nothing from outside can pass for one.
	placeholderPrefix = "roam-mcp-text-"
)

// withPlaceholder returns result with a placeholder for its text, if that is
// large and result is the first content of a tool's.
func (f *InFlight) withPlaceholder(ctx context.Context, result mcp.Result) mcp.Result {
	called, isCall := result.(*mcp.CallToolResult)
	if !isCall || called == nil || len(called.Content) == 0 {
		return result
	}
	if text, isText := called.Content[0].(*mcp.TextContent); isText && len(text.Text) >= largeText {
		called.Content[0] = &mcp.TextContent{Text: f.hold(ctx, text.Text)}
	}
	return called
}

// hold returns a placeholder for a text, valid until ctx ends: until the request
// is answered or cancelled.
func (f *InFlight) hold(ctx context.Context, text string) string {
	placeholder := placeholderPrefix + rand.Text()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.texts[placeholder] = text
	context.AfterFunc(ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.texts, placeholder)
	})
	return placeholder
}

// Held returns how many texts are held.
func (f *InFlight) Held() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.texts)
}

func (f *InFlight) find(placeholder []byte) (text string, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, ok = f.texts[string(placeholder)]
	return text, ok
}

// Fill returns an encoded message with the texts that its placeholders stand
// for; the message itself where it has none.
func (f *InFlight) Fill(message []byte) []byte {
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
		text, known := f.find(message[from : from+length])
		if !known {
			continue
		}
		out := make([]byte, 0, len(message)+len(text)*5/4)
		out = rawjson.AppendString(append(out, message[:at]...), text)
		message, from = append(out, message[from+length+1:]...), len(out)
	}
}
