package actions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/sandbox/desk"
)

func makeCard(_ context.Context, args map[string]any) (any, error) {
	if args["front"] == "fail" {
		return nil, errors.New("the printer is out of ink")
	}
	return map[string]any{"card": args["front"]}, nil
}

func TestExtensionTools(t *testing.T) {
	c := start(t, Options{Extensions: []Extension{cardsExtension()}})
	const listed = `"extensionTools":[{"tool":"cards/make","description":"Makes a card.","scope":"read","extension":"Cards","inputSchema":{"type":"object","properties":{"front":{"type":"string"}},"required":["front"]}},` +
		`{"tool":"cards/shred","description":"Destroys all cards.","scope":"edit","extension":"Cards","inputSchema":{"type":"object"}}]`
	if got := c.do("data.ai.getGraphGuidelines", ""); !strings.Contains(got, listed) {
		t.Errorf("%s lacks %s", got, listed)
	}
	for argument, want := range map[string]string{
		`{"tool":"cards/eat"}`:                          "cards/make, cards/shred",
		`{"tool":"cards/make","args":{}}`:               `"required":["front"]`,
		`{"tool":"cards/make","args":{"front":"fail"}}`: "out of ink",
	} {
		_, err := c.try("data.ai.callExtensionTool", argument)
		if text := fmt.Sprint(err); !strings.Contains(text, want) {
			t.Errorf("%s: %v lacks %s", argument, err, want)
		}
	}
	refused := errors.New("the token is for reading")
	c.Permit = func(what string, scope desk.Scope) error {
		if what != "The extension tool cards/shred" || scope != desk.Edit {
			t.Errorf("%s is asked for with the scope %s", what, scope)
		}
		return refused
	}
	if _, err := c.try("data.ai.callExtensionTool", `{"tool":"cards/shred"}`); err != refused {
		t.Errorf("a tool beyond the token's scope: %v", err)
	}
	_, err := start(t, Options{}).try("data.ai.callExtensionTool", `{"tool":"x"}`)
	if text := fmt.Sprint(err); !strings.Contains(text, "no extension") {
		t.Errorf("without extensions: %v", err)
	}
}
