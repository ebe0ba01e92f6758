package sandbox

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/sandbox/store"
	"roam-mcp/internal/testutil/require"
)

// refusalOf is the code of a call's error, and Roam's text.
func refusalOf(err error) (problem.Code, string) {
	if refused, ok := problem.AsCall(err); ok {
		return refused.Code, refused.Call.Text
	}
	return "", ""
}

func TestActionScopes(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	client := clientOf(t, s)
	for _, level := range localapi.RequestableLevels() {
		token := tokenFor(t, s, small, level)
		for action := range s.actions.Names() {
			scope, _ := s.actions.Scope(action)
			if (desk.TokenInfo{AccessLevel: level}).May(scope) {
				continue
			}
			_, err := client.Call(t.Context(), small, token, action)
			if refused, ok := problem.AsCall(err); !ok || refused.Code != localapi.CodeInsufficientScope || refused.Status() != 403 {
				t.Errorf("%s with a %s token: %v", action, level, err)
			}
		}
	}
	full := callerOf(t, s, small)
	for _, old := range []string{"data.block.updateMany", "data.block.deleteMany", "data.block", "constructor"} {
		_, err := full.try(old, "")
		if code, _ := refusalOf(err); code != localapi.CodeUnknownAction {
			t.Errorf("%s: %v, want UNKNOWN_ACTION", old, err)
		}
	}
}

func TestActionErrors(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	const inWater = `{"action": "create-block", "location": {"parent-uid": "page-wate", "order": 0}, "block": {"string": "`
	for name, call := range map[string]struct {
		action, argument string
		code             problem.Code
		text             string
	}{
		"a page of no name":          {"data.ai.getPage", `{}`, localapi.CodeInternal, "uid or title is required"},
		"a block of no uid":          {"data.ai.getBlock", `{}`, localapi.CodeInternal, "uid is required"},
		"backlinks of nothing":       {"data.ai.getBacklinks", `{}`, localapi.CodeInternal, "uid or title"},
		"an order that is none":      {"data.ai.getBacklinks", `{"title": "Water", "sortOrder": "up"}`, localapi.CodeInternal, "asc or desc"},
		"a sort that is none":        {"data.ai.getBacklinks", `{"title": "Water", "sort": "size"}`, localapi.CodeInternal, "created-date"},
		"a scope that is none":       {"data.ai.search", `{"query": "x", "scope": "world"}`, localapi.CodeInternal, "scope is"},
		"a limit that is a word":     {"data.ai.search", `{"query": "x", "limit": "ten"}`, localapi.CodeInternal, "a number is expected"},
		"an argument that is text":   {"data.ai.search", `"x"`, localapi.CodeInternal, "it is a JSON string"},
		"an argument that is null":   {"data.ai.search", `null`, localapi.CodeInternal, "an object is expected"},
		"a block of no string":       {"data.block.create", `{"location": {"parent-uid": "page-wate", "order": 0}, "block": {}}`, localapi.CodeInternal, "block.string is required"},
		"a block of no place":        {"data.block.create", `{"location": {}, "block": {"string": "x"}}`, localapi.CodeInternal, "exactly one"},
		"a block of two places":      {"data.block.create", `{"location": {"parent-uid": "page-wate", "page-title": "Water"}, "block": {"string": "x"}}`, localapi.CodeInternal, "exactly one"},
		"a negative order":           {"data.block.create", `{"location": {"parent-uid": "page-wate", "order": -1}, "block": {"string": "x"}}`, localapi.CodeInternal, "order is a number"},
		"an order in words":          {"data.block.create", `{"location": {"parent-uid": "page-wate", "order": "middle"}, "block": {"string": "x"}}`, localapi.CodeInternal, "order is a number"},
		"a parent that is not there": {"data.block.create", `{"location": {"parent-uid": "none"}, "block": {"string": "x"}}`, localapi.CodeNotFound, "doesn't exist"},
		"a uid that is taken":        {"data.block.create", `{"location": {"parent-uid": "page-wate"}, "block": {"string": "x", "uid": "blk-flour"}}`, localapi.CodeAlreadyExists, "already exists"},
		"a heading of four":          {"data.block.create", `{"location": {"parent-uid": "page-wate"}, "block": {"string": "x", "heading": 4}}`, localapi.CodeInternal, "heading"},
		"props that are a list":      {"data.block.create", `{"location": {"parent-uid": "page-wate"}, "block": {"string": "x", "props": [1]}}`, localapi.CodeInternal, "props is an object"},
		"a page title that is 7":     {"data.block.fromMarkdown", `{"location": {"page-title": 7}, "markdown-string": "x"}`, localapi.CodeInternal, "page-title is"},
		"no day":                     {"data.block.fromMarkdown", `{"location": {"page-title": {"daily-note-page": "02-30-2026"}}, "markdown-string": "x"}`, localapi.CodeInternal, "is no day"},
		"too many lines of markdown": {"data.block.fromMarkdown", `{"location": {"page-title": "Water"}, "markdown-string": "` + strings.Repeat(`-\n`, markdown.MaxLines+1) + `"}`, localapi.CodeInternal, "Write it in parts"},
		"a page of too many lines":   {"data.page.fromMarkdown", `{"page": {"title": "Long"}, "markdown-string": "` + strings.Repeat(`-\n`, markdown.MaxLines+1) + `"}`, localapi.CodeInternal, "Write it in parts"},
		"a batch of too many blocks": {"batchActions", `{"actions": [` + strings.Repeat("{},", markdown.MaxLines) + `{}]}`, localapi.CodeInternal, "send it in parts"},
		"a batch of too much text":   {"batchActions", `{"actions": [` + inWater + strings.Repeat("x", markdown.MaxBytes) + `"}}]}`, localapi.CodeInternal, "send it in parts"},
		"updates without end":        {"data.block.updateBlocks", `{"updates": [` + strings.Repeat("{},", markdown.MaxLines) + `{}]}`, localapi.CodeInternal, "send it in parts"},
		"no markdown":                {"data.block.fromMarkdown", `{"location": {"page-title": "Water"}}`, localapi.CodeInternal, "markdown-string is required"},
		"an update of a page":        {"data.block.update", `{"block": {"uid": "page-wate", "string": "x"}}`, localapi.CodeInternal, "is a page, not a block"},
		"an update of nothing":       {"data.block.update", `{"block": {"uid": "none", "string": "x"}}`, localapi.CodeNotFound, "doesn't exist"},
		"an update of no uid":        {"data.block.update", `{"block": {}}`, localapi.CodeInternal, "block.uid is required"},
		"a deletion of no uid":       {"data.block.delete", `{}`, localapi.CodeInternal, "block.uid is required"},
		"a move of no uid":           {"data.block.move", `{}`, localapi.CodeInternal, "block.uid is required"},
		"a move under itself":        {"data.block.move", `{"location": {"parent-uid": "blk-child", "order": 0}, "block": {"uid": "blk-flour"}}`, localapi.CodeInternal, "under itself"},
		"a move to nowhere":          {"data.block.move", `{"location": {"parent-uid": "none", "order": 0}, "block": {"uid": "blk-flour"}}`, localapi.CodeNotFound, "doesn't exist"},
		"a page without a title":     {"data.page.create", `{"page": {}}`, localapi.CodeInternal, "page.title is required"},
		"a page twice":               {"data.page.fromMarkdown", `{"page": {"title": "Water"}, "markdown-string": "x"}`, localapi.CodeAlreadyExists, "already exists"},
		"a title of another page":    {"data.page.update", `{"page": {"uid": "page-brea", "title": "Water"}}`, localapi.CodeAlreadyExists, "already exists"},
		"a page update of no uid":    {"data.page.update", `{"page": {}}`, localapi.CodeInternal, "page.uid is required"},
		"a page deletion of no uid":  {"data.page.delete", `{}`, localapi.CodeInternal, "page.uid is required"},
		"a token as a title":         {"data.block.create", `{"location": {"parent-uid": "roam-graph-local-token-aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}, "block": {"string": "x"}}`, localapi.CodeInternal, "the action failed"},
	} {
		t.Run(name, func(t *testing.T) {
			before := s.Graphs()
			_, err := c.try(call.action, call.argument)
			e, ok := problem.AsCall(err)
			if !ok || e.Status() != 500 || e.Code != call.code || !strings.Contains(e.Call.Text, call.text) {
				t.Errorf("%v, want %s with %q", err, call.code, call.text)
			}
			if after := s.Graphs(); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("something was written: %v", after)
			}
		})
	}
}

func TestDemotedUser(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	turn(t, s, "demoted")
	if _, err := c.try("data.ai.getPage", `{"title": "Bread"}`); err != nil {
		t.Errorf("a read: %v", err)
	}
	_, err := c.try("data.block.delete", `{"block": {"uid": "blk-child"}}`)
	if code, _ := refusalOf(err); code != localapi.CodeScopeExceedsPermission {
		t.Errorf("a write: %v", err)
	}
	if got := c.do("user.isAdmin", ""); got != "false" {
		t.Errorf("isAdmin %s", got)
	}
	s.Switches().Clear()
	c.do("data.block.delete", `{"block": {"uid": "blk-child"}}`)
}

func TestBatchScope(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	c.token = tokenFor(t, s, small, localapi.ReadAppend)
	const create = `{"action":"create-block","location":{"parent-uid":"page-wate","order":0},"block":{"string":"x"}}`
	_, err := c.try("batchActions", `{"actions":[`+create+`,{"action":"delete-block","block":{"uid":"blk-child"}}]}`)
	if code, _ := refusalOf(err); code != localapi.CodeInsufficientScope || s.Graphs()[0].Blocks != 5 {
		t.Errorf("%v, %d blocks", err, s.Graphs()[0].Blocks)
	}
	c.do("batchActions", `{"actions":[`+create+`]}`)
}

func TestWriteAuthor(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	grant, err := s.Desk().RequestAccess(t.Context(), desk.Access{Graph: small, AccessLevel: localapi.Full, Description: "a person's"})
	require.NoError(t, err)
	ai := callerOf(t, s, small)
	person := &caller{t, ai.client, small, grant.Token}
	for c, want := range map[*caller]string{ai: "Sandbox user (AI)", person: "Sandbox user"} {
		c.do("data.block.update", `{"block": {"uid": "blk-see-1", "string": "by `+want+`"}}`)
		if got := c.do("data.ai.search", `{"query": ""}`); !strings.Contains(got, `"title":"Bread","editedBy":"`+want+`"`) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func FuzzRequestBody(f *testing.F) {
	s := bare(f)
	s.maxBody = maxBody
	grant, err := s.Desk().RequestAccess(f.Context(), desk.Access{Graph: small, AccessLevel: localapi.Full, Description: "x"})
	require.NoError(f, err)
	s.graphs = fuzzLibrary(f)
	handler := s.handler()
	for action := range s.actions.Names() {
		f.Add("/api/small", `{"action":"`+action+`","args":[{"uid":"page-brea","title":"Bread","query":"x","location":{"parent-uid":"page-wate","order":1},`+
			`"markdown-string":"# a\n- b","block":{"uid":"blk-flour","string":"[[x]] ((blk-child))"},"page":{"uid":"page-wate","title":"N"}}],"expectedApiVersion":"1.1.5"}`)
	}
	f.Add("/api/graphs/tokens/request", `{"graph":"small","description":"x","accessLevel":"full"}`)
	f.Add("/api/graphs/tokens/info", `{"token":"roam-graph-local-token-x","graph":"small"}`)
	f.Add("/api/small", `[`)
	f.Fuzz(func(t *testing.T, path, body string) {
		if path != "/api/small" && path != "/api/graphs/tokens/request" && path != "/api/graphs/tokens/info" {
			t.Skip()
		}
		request := httptest.NewRequest("POST", "http://127.0.0.1"+path, strings.NewReader(body))
		request.Header.Set("Authorization", "Bearer "+grant.Token.Reveal())
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		var answer struct {
			Success    bool
			APIVersion string
			Error      *struct{ Code string }
		}
		if err := json.Unmarshal(recorder.Body.Bytes(), &answer); err != nil || answer.APIVersion == "" || answer.Success != (recorder.Code == 200) {
			t.Errorf("%d %s", recorder.Code, recorder.Body)
		}
		if answer.Error != nil && answer.Error.Code == string(localapi.CodeInternal) && path == "/api/small" {
			t.Errorf("a panic: %s", recorder.Body) // guard answers panics with this code
		}
	})
}

// fuzzLibrary is the small graph in a folder of its own.
func fuzzLibrary(f *testing.F) *library {
	folder, err := store.OpenFolder(f.TempDir())
	require.NoError(f, err)
	l := &library{}
	f.Cleanup(func() { _ = l.close(); _ = folder.Close() })
	require.NoError(f, l.importFile(f.Context(), folder, smallGraph, Options{Now: clock, Log: slog.New(slog.DiscardHandler)}))
	return l
}
