package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"roam-mcp/graphdb/outline"
	"roam-mcp/graphdb/roamtext"
	"roam-mcp/localapi"
	"roam-mcp/problem"
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
	errNotOurs = errors.New("a write names what this probe did not make")
	errSpent   = errors.New("the probe has sent as many requests as it may")
	errGone    = errors.New("no answer comes any more")
)

// Caller sends calls to Roam's Local API; a *localapi.Client is one.
type Caller interface {
	Call(ctx context.Context, graph localapi.Graph, token localapi.Token, action string, args ...any) (localapi.Reply, error)
}

// sender sends all requests of a run. A write that names a page or a block which is not on
// the list is refused. It is safe for concurrent use.
type sender struct {
	call  Caller
	graph localapi.Graph
	token localapi.Token
	made  *list
	scrub scrubber
	pace  *rate.Limiter
	wrote atomic.Bool // a write was sent
	// barred is why nothing may be written; nil: it may.
	barred error

	mu      sync.Mutex
	limit   int // requests that may be sent before the cleaning
	most    int // and with it
	sent    int
	silent  int // calls in a row that got no answer
	version string
	last    exchange // the latest one
}

// exchange is a request with its reply, as they are for the file.
type exchange struct{ request, reply json.RawMessage }

// newSender returns the sender of a run, or of what cleans after it.
func newSender(o Options, made *list, limit int) *sender {
	perSecond := o.WritesPerSecond
	if perSecond <= 0 {
		perSecond = writesPerSecond
	}
	return &sender{
		call: o.Caller, graph: o.Graph, token: o.Token, made: made, limit: limit, most: maxRequests,
		scrub: scrubber{made: made, hidden: o.Hidden}, pace: rate.NewLimiter(rate.Limit(perSecond), 1),
	}
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

// write sends a write, after what it makes is on the list.
func (s *sender) write(ctx context.Context, action string, arg any) (json.RawMessage, error) {
	if s.barred != nil {
		return nil, s.barred
	}
	names, err := namesIn(arg)
	if err != nil || !isWrite(action) {
		return nil, errors.Join(errNotOurs, err)
	}
	if err := s.check(names); err != nil {
		return nil, err
	}
	if err := s.made.add(nil, nil, slices.Concat(names.texts, names.markdown)...); err != nil {
		return nil, err
	}
	if err := s.pace.Wait(ctx); err != nil {
		return nil, err
	}
	s.wrote.Store(true)
	return s.do(ctx, s.token, action, arg)
}

// read sends what changes nothing.
func (s *sender) read(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
	return s.readAs(ctx, s.token, action, args...)
}

func (s *sender) readAs(ctx context.Context, token localapi.Token, action string, args ...any) (json.RawMessage, error) {
	if !isRead(action) {
		return nil, errNotOurs
	}
	return s.do(ctx, token, action, args...)
}

func (s *sender) do(ctx context.Context, token localapi.Token, action string, args ...any) (json.RawMessage, error) {
	if err := s.count(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	reply, err := s.call.Call(ctx, s.graph, token, action, args...)
	s.note(s.scrub.exchange(action, args, reply, err), reply, err)
	return reply.Result, err
}

func (s *sender) count() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.silent >= brokenOff:
		return errGone
	case s.sent >= s.limit:
		return errSpent
	}
	s.sent++
	return nil
}

// note keeps what the latest call brought.
func (s *sender) note(last exchange, reply localapi.Reply, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = last
	if reply.APIVersion != "" {
		s.version = reply.APIVersion
	}
	switch e, ok := problem.AsCall(err); {
	case err == nil || ok && e.Status() != 0:
		s.silent = 0
	case ok && e.Code == problem.CodeCancelled:
	default:
		s.silent++
	}
}

func (s *sender) latest() exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
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
	switch status := e.Status(); status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	default:
		return status >= http.StatusBadRequest
	}
}

// lacks reports whether Roam has no such action.
func lacks(err error) bool { return problem.CodeOf(err) == localapi.CodeUnknownAction }

// named is what a write names.
type named struct{ uids, titles, texts, markdown []string }

// namesIn returns all that the argument of a write names. It refuses keys that it does not
// know.
func namesIn(arg any) (names named, err error) {
	data, err := json.Marshal(arg)
	if err != nil {
		return names, err
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return names, err
	}
	return names, names.collect("", value)
}

func (n *named) collect(key string, value any) error {
	switch v := value.(type) {
	case map[string]any:
		for key, each := range v {
			if err := n.collect(key, each); err != nil {
				return err
			}
		}
		return nil
	case []any:
		for _, each := range v {
			if err := n.collect(key, each); err != nil {
				return err
			}
		}
		return nil
	}
	text, isText := value.(string)
	switch key {
	case "uid", "parent-uid", "uids", "blocks":
		n.uids = append(n.uids, text)
	case "title":
		n.titles = append(n.titles, text)
	case "string", "nest-under-str":
		n.texts = append(n.texts, text)
	case "markdown-string":
		n.markdown, n.texts = append(n.markdown, text), append(n.texts, stringsOf(outline.ParseMarkdown(text))...)
	case "order", "open", "heading", "merge-pages", "action":
		return nil
	default:
		return fmt.Errorf("the key %q is not known", key)
	}
	if !isText {
		return fmt.Errorf("%q is no text", key)
	}
	return nil
}

// stringsOf returns the texts of blocks, and of all that is below them.
func stringsOf(blocks []outline.Block) (texts []string) {
	for _, b := range blocks {
		texts = append(append(texts, b.String), stringsOf(b.Children)...)
	}
	return texts
}

// check refuses names that are not on the list, and texts that refer to something else.
func (s *sender) check(names named) error {
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
	for _, uid := range uids {
		if !s.made.has(uid) {
			return errNotOurs
		}
	}
	for _, title := range titles {
		if !slices.Contains(s.made.Titles, title) {
			return errNotOurs
		}
	}
	return nil
}
