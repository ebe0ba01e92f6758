package evaluation

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"roam-mcp/internal/localapi"
)

// Person is somebody who works in Roam while the agent does.
type Person struct {
	ask func(action string, args map[string]any) error
	err error
}

// Answered tells the world that a call of a tool has been answered. The person of the task
// does what is to be done then, before it returns.
func (w *World) Answered(ctx context.Context, tool string) error {
	if w.person == nil || tool != w.after {
		return nil
	}
	edit := w.person
	w.person = nil
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(w.Home, localapi.PortFileName), Strict: true}})
	defer client.CloseIdleConnections()
	p := &Person{ask: func(action string, args map[string]any) error {
		_, err := client.Call(ctx, w.graphs[0], w.Tokens[0].Token, action, args)
		return err
	}}
	edit(p)
	return p.err
}

func (p *Person) do(action string, args map[string]any) {
	if err := p.ask(action, args); err != nil {
		p.err = errors.Join(p.err, fmt.Errorf("a person's %s: %w", action, err))
	}
}

// Writes gives a block another text.
func (p *Person) Writes(uid, text string) {
	p.do("data.block.update", map[string]any{"block": map[string]any{"uid": uid, "string": text}})
}

// Adds adds a block at the end of a page, or below a block.
func (p *Person) Adds(parent, uid, text string) {
	p.do("data.block.create", map[string]any{
		"location": map[string]any{"parent-uid": parent, "order": "last"}, "block": map[string]any{"string": text, "uid": uid},
	})
}

// Deletes deletes a block.
func (p *Person) Deletes(uid string) {
	p.do("data.block.delete", map[string]any{"block": map[string]any{"uid": uid}})
}

// Renames gives a page another title.
func (p *Person) Renames(uid, title string) {
	p.do("data.page.update", map[string]any{"page": map[string]any{"uid": uid, "title": title}})
}
