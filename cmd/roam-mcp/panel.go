package main

import (
	"context"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/tui"
)

// panel shows the sandbox's approval desk to the setup program.
type panel struct{ desk *desk.Desk }

var _ tui.Desk = panel{}

// Watch implements tui.Desk.
func (p panel) Watch(ctx context.Context) <-chan []tui.AccessRequest {
	requests := make(chan []tui.AccessRequest)
	go func() {
		defer close(requests)
		for pending := range p.desk.Watch(ctx) {
			shown := make([]tui.AccessRequest, len(pending))
			for i, request := range pending {
				shown[i] = tui.AccessRequest{
					ID: request.ID, Graph: request.Graph, Description: request.Description, AccessLevel: request.AccessLevel,
				}
			}
			select {
			case requests <- shown:
			case <-ctx.Done():
				return
			}
		}
	}()
	return requests
}

// Answer implements tui.Desk.
func (p panel) Answer(id string, decision tui.Decision) error {
	answer := desk.Decision{Verdict: desk.Rejects}
	switch decision {
	case tui.Deny:
	case tui.Allow:
		answer = desk.Decision{Verdict: desk.Grants}
	case tui.AllowReadOnly:
		answer = desk.Decision{Verdict: desk.Grants, AccessLevel: localapi.ReadOnly}
	case tui.Never:
		answer = desk.Decision{Verdict: desk.Blocks}
	}
	return p.desk.Answer(id, answer)
}

// Unblock implements tui.Desk.
func (p panel) Unblock(graph localapi.Graph) error {
	_, err := p.desk.Unblock(graph)
	return err
}
