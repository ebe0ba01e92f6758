package mcpserve

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/rawjson"
)

const (
	// Guidelines are asked for again once they are this old, and a write waits
	// this long for the answer at most.
	guidelinesFresh    = time.Minute
	guidelinesPatience = 1500 * time.Millisecond
	guidelinesTimeout  = 30 * time.Second

	// keptHashes is how many states of a graph's guidelines a stale ticket is told from a
	// foreign one for.
	keptHashes = 4

	// A token's level is worth this much waiting once the guidelines are there.
	tokenInfoPatience = 100 * time.Millisecond
)

// guidelines are a graph's, as Roam answered.
type guidelines struct {
	object json.RawMessage // Roam's whole reply, an object
	text   json.RawMessage // its field guidelines: a string or null
	hash   string
}

// parseGuidelines reads Roam's reply: an object, the bare string of older
// builds, or nothing.
func parseGuidelines(result json.RawMessage) guidelines {
	result = bytes.TrimSpace(result)
	if !rawjson.IsObject(result) {
		text := json.RawMessage("null")
		if len(result) > 0 && result[0] == '"' {
			text = result
		}
		result = rawjson.With("guidelines", text).With("starredPages", json.RawMessage("[]")).With("todaysDailyNotePage", nil).JSON()
	}
	text := rawjson.Parse(result).Get("guidelines")
	if len(text) == 0 {
		text = json.RawMessage("null")
	}
	var plain string
	if json.Unmarshal(text, &plain) != nil {
		plain = string(text)
	}
	return guidelines{object: result, text: text, hash: hashGuidelines(plain)}
}

// guidelineBook holds what is known of each graph's guidelines, so that the
// freshness of a ticket costs one Roam call a minute and graph at most.
type guidelineBook struct {
	mu    sync.Mutex
	pages map[localapi.Graph]*guidelinePage
}

type guidelinePage struct {
	latest  *guidelines
	hashes  []string      // of the states that were read, each once, the latest last; a few of them
	asked   time.Time     // when they were last asked for
	pending chan struct{} // closed when the question under way is answered; nil: none is
}

func newGuidelineBook() *guidelineBook {
	return &guidelineBook{pages: map[localapi.Graph]*guidelinePage{}}
}

func (b *guidelineBook) page(graph localapi.Graph) *guidelinePage {
	p, ok := b.pages[graph]
	if !ok {
		p = &guidelinePage{}
		b.pages[graph] = p
	}
	return p
}

func (b *guidelineBook) note(graph localapi.Graph, latest guidelines, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.page(graph)
	p.latest, p.asked = &latest, now
	p.hashes = append(slices.DeleteFunc(p.hashes, func(hash string) bool { return hash == latest.hash }), latest.hash)
	p.hashes = p.hashes[max(0, len(p.hashes)-keptHashes):]
}

// read returns what tickets were given for: a few states of each graph's guidelines.
func (b *guidelineBook) read() []ticket {
	b.mu.Lock()
	defer b.mu.Unlock()
	var read []ticket
	for graph, page := range b.pages {
		for _, hash := range page.hashes {
			read = append(read, ticket{graph, hash})
		}
	}
	return read
}

func (b *guidelineBook) latest(graph localapi.Graph) (guidelines, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.page(graph); p.latest != nil {
		return *p.latest, true
	}
	return guidelines{}, false
}

// fetchGuidelines reads a graph's guidelines from Roam.
func (s guidelineReader) fetchGuidelines(ctx context.Context, entry configstore.Entry) (guidelines, error) {
	reply, err := s.roam.Read(ctx, entry, localapi.GuidelinesAction)
	if err != nil {
		return guidelines{}, err
	}
	read := parseGuidelines(reply.Result)
	s.guidelines.note(entry.Graph(), read, s.now())
	return read, nil
}

// refreshGuidelines asks Roam again where that is due, and waits a moment for
// the answer. Where it does not come in time, the last known ones stand: a
// write is never held up because Roam is slow to answer this.
func (s guidelineReader) refreshGuidelines(ctx context.Context, entry configstore.Entry) {
	pending := s.askGuidelines(entry)
	if pending == nil {
		return
	}
	timer := time.NewTimer(s.timeouts.Guidelines)
	defer timer.Stop()
	select {
	case <-pending:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// askGuidelines starts the question unless one is under way or the last answer
// is young. It returns nil where there is nothing to wait for.
func (s guidelineReader) askGuidelines(entry configstore.Entry) chan struct{} {
	book, graph := s.guidelines, entry.Graph()
	book.mu.Lock()
	defer book.mu.Unlock()
	page := book.page(graph)
	if page.pending != nil {
		return page.pending
	}
	if !page.asked.IsZero() && s.now().Sub(page.asked) < guidelinesFresh {
		return nil
	}
	page.asked = s.now()
	pending := make(chan struct{})
	page.pending = pending
	go func() {
		defer func() {
			book.mu.Lock()
			defer book.mu.Unlock()
			page.pending = nil
			close(pending)
		}()
		defer s.recoverBackground("reading the guidelines again")
		ctx, cancel := context.WithTimeout(s.ctx, guidelinesTimeout)
		defer cancel()
		if _, err := s.fetchGuidelines(ctx, entry); err != nil {
			s.log.Debug("guidelines could not be read again", "graph", entry.Nickname, "code", Explained(err).Code)
		}
	}()
	return pending
}

// briefing is what an agent gets to know of a graph before it works there.
type briefing struct {
	guidelines guidelines
	info       localapi.TokenInfo // status unknown where it was not told in time
}

// brief reads guidelines and token level side by side. It takes as long as the
// guidelines do, and notes in the configuration what is news of the token.
func (s guidelineReader) brief(ctx context.Context, entry configstore.Entry) (briefing, error) {
	infoCtx, cancel := context.WithTimeout(ctx, guidelinesTimeout)
	told := make(chan localapi.TokenInfo, 1)
	go func() {
		defer s.recoverBackground("asking for the token's level")
		defer cancel()
		told <- s.options.Roam.TokenInfo(infoCtx, entry.Graph(), entry.Token)
	}()
	read, err := s.fetchGuidelines(ctx, entry)
	out := briefing{guidelines: read, info: localapi.TokenInfo{Status: localapi.TokenUnknown}}
	timer := time.NewTimer(s.timeouts.TokenInfo)
	defer timer.Stop()
	select {
	case out.info = <-told:
	case <-timer.C:
		cancel()
	}
	s.roam.NoteToken(ctx, entry, out.info, err == nil)
	return out, err
}

// level is the token's access level as far as it is known.
func (b briefing) level(entry configstore.Entry) localapi.AccessLevel {
	if b.info.AccessLevel != "" {
		return b.info.AccessLevel
	}
	return entry.AccessLevel
}
