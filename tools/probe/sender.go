package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

const (
	maxRequests     = 400 // of a run, its clean-up included
	keptForCleaning = 60
	writesPerSecond = 10
	callLimit       = 10 * time.Second
	// brokenOff is how many calls in a row without an answer mean that Roam has gone.
	brokenOff = 2
)

var (
	errNotOurs = errors.New("a call names what this probe did not make, or is none of its own")
	errSpent   = errors.New("the probe had used up its requests or its time")
	errGone    = errors.New("no answer came any more")
)

// Caller sends calls to Roam's Local API; a *localapi.Client is one.
type Caller interface {
	Call(ctx context.Context, graph localapi.Graph, token localapi.Token, action string, args ...any) (localapi.Reply, error)
}

// sender sends all requests of a run. A write that names a page or a block which is not on
// the list is refused. It is safe for concurrent use.
type sender struct {
	Options
	made *list
	pace *rate.Limiter
	// barred is why nothing may be written; nil: it may.
	barred error

	mu      sync.Mutex
	left    int // requests that may be sent
	silent  int // calls in a row that got no answer
	version string
	last    exchange // the latest one
}

// exchange is a request with what came of it.
type exchange struct {
	action string
	args   []any
	result json.RawMessage
	err    error
}

// newSender returns the sender of a run, or of what cleans after it.
func newSender(o Options, made *list, requests int) *sender {
	return &sender{Options: o, made: made, pace: rate.NewLimiter(rate.Limit(cmp.Or(o.WritesPerSecond, writesPerSecond)), 1), left: requests}
}

// isWrite reports whether an action is one of those that a probe may change a graph with.
func isWrite(action string) bool {
	return action == "batchActions" ||
		(strings.HasPrefix(action, "data.block.") || strings.HasPrefix(action, "data.page.")) && !strings.HasSuffix(action, "hortcut")
}

// isRead reports whether an action is one of those that a probe may read with.
func isRead(action string) bool {
	return slices.Contains([]string{
		"q", "data.q", "data.fast.q", "data.async.q", "data.backend.q", "data.pull", "data.pull_many",
		"data.ai.getPage", "data.ai.getBlock", "graph.isEncrypted", unknownAction, "",
	}, action)
}

// send sends a call; a write after what it makes is on the list.
func (s *sender) send(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
	return s.sendAs(ctx, s.Token, action, args...)
}

func (s *sender) sendAs(ctx context.Context, token localapi.Token, action string, args ...any) (json.RawMessage, error) {
	if isWrite(action) {
		if err := s.prepare(ctx, args); err != nil {
			return nil, err
		}
	} else if !isRead(action) {
		return nil, errNotOurs
	}
	if err := s.count(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	reply, err := s.Caller.Call(ctx, s.Graph, token, action, args...)
	s.note(reply, exchange{action, args, reply.Result, err})
	return reply.Result, err
}

// prepare returns when a write may be sent.
func (s *sender) prepare(ctx context.Context, args []any) error {
	if s.barred != nil {
		return s.barred
	}
	data, err := json.Marshal(args)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	var names named
	if !names.collect("", value) || !s.own(names) {
		return errNotOurs
	}
	if err := s.made.add(nil, nil, slices.Concat(names.texts, names.markdown)...); err != nil {
		return err
	}
	if s.pace.Wait(ctx) != nil {
		return cmp.Or(ctx.Err(), errSpent)
	}
	return nil
}

func (s *sender) count() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.silent >= brokenOff:
		return errGone
	case s.left == 0:
		return errSpent
	}
	s.left--
	return nil
}

// allow has further requests sent, also to a Roam that seemed to be gone.
func (s *sender) allow(more int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left, s.silent = s.left+more, 0
}

// note keeps what the latest call brought.
func (s *sender) note(reply localapi.Reply, last exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = last
	if reply.APIVersion != "" {
		s.version = reply.APIVersion
	}
	switch e, ok := problem.AsCall(last.err); {
	case last.err == nil || ok && e.Status() != 0:
		s.silent = 0
	case !ok || e.Code != problem.CodeCancelled:
		s.silent++
	}
}

// refused reports whether Roam answered that it did not do what a call asked for: not that
// the call may not be made, or that its action is missing.
func refused(err error) bool {
	e, ok := problem.AsCall(err)
	if !ok {
		return false
	}
	switch e.Code {
	case localapi.CodeUnknownAction, localapi.CodeRateLimited, localapi.CodeWindowClosed, localapi.CodeInvalidReply,
		localapi.CodeDisabled, localapi.CodeGraphNotFound, localapi.CodeVersionMismatch:
		return false
	}
	switch e.Status() {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	}
	return e.Status() >= http.StatusBadRequest
}

// lacks reports whether Roam has no such action.
func lacks(err error) bool { return problem.CodeOf(err) == localapi.CodeUnknownAction }

// named is what a write names.
type named struct{ uids, titles, texts, markdown []string }

// collect adds what a value under a key names. It returns false for a key that it does not
// know.
func (n *named) collect(key string, value any) bool {
	if key == "props" { // which refer to nothing
		return true
	}
	switch v := value.(type) {
	case map[string]any:
		for key, each := range v {
			if !n.collect(key, each) {
				return false
			}
		}
		return true
	case []any:
		return !slices.ContainsFunc(v, func(each any) bool { return !n.collect(key, each) })
	}
	text, isText := value.(string)
	switch key {
	case "order", "open", "heading", "text-align", "children-view-type", "block-view-type", "merge-pages", "action":
		return true
	case "uid", "parent-uid", "blocks":
		n.uids = append(n.uids, text)
	case "title":
		n.titles = append(n.titles, text)
	case "string", "nest-under-str":
		n.texts = append(n.texts, text)
	case "markdown-string":
		n.markdown, n.texts = append(n.markdown, text), append(n.texts, textsOf(markdown.Importer(text))...)
	default:
		return false
	}
	return isText
}

// textsOf returns the texts of blocks, and of all that is below them.
func textsOf(blocks []outline.Block) (texts []string) {
	for _, b := range blocks {
		texts = append(append(texts, b.String), textsOf(b.Children)...)
	}
	return texts
}

// own reports whether all that is named is on the list, and all that texts refer to.
func (s *sender) own(names named) bool {
	uids, titles := names.uids, names.titles
	for i, text := range slices.Concat(names.markdown, names.texts, titles) {
		for _, span := range roamtext.References(text) {
			content := span.Content(text)
			switch {
			case span.Kind == roamtext.BlockRef:
				uids = append(uids, content)
			case span.Kind == roamtext.Attribute && i < len(names.markdown): // a bullet is no part of its name
			case content != "table": // which Roam's own tables refer to
				titles = append(titles, content)
			}
		}
	}
	return !slices.ContainsFunc(uids, func(uid string) bool { return !s.made.has(uid) }) &&
		!slices.ContainsFunc(titles, func(title string) bool { return !slices.Contains(s.made.Titles, title) })
}
