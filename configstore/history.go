package configstore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

// Switch is a setting that is on, off, or empty if it is not set.
type Switch string

// The values of a Switch that is set.
const (
	On  Switch = "on"
	Off Switch = "off"
)

// How long and how much the journal keeps unless the file says otherwise.
const (
	DefaultDays      = 90
	DefaultMegabytes = 200
)

// The bounds of what may be set.
const (
	maxDays      = 36_500
	maxMegabytes = 100_000
)

// History is what the file says of the journal of writes, for all graphs; 0 and
// empty: nothing.
type History struct {
	// Texts is whether the journal holds texts of notes. Off: of no graph, whatever
	// its entry says.
	Texts     Switch `json:"texts,omitempty"`
	Days      int    `json:"days,omitempty"`      // that texts are kept
	Megabytes int    `json:"megabytes,omitempty"` // that the journal takes
}

// OrDefault returns the values that count.
func (h History) OrDefault() History {
	h.Texts = cmp.Or(h.Texts, On)
	h.Days = cmp.Or(h.Days, DefaultDays)
	h.Megabytes = cmp.Or(h.Megabytes, DefaultMegabytes)
	return h
}

// TextsOf returns whether the journal may hold texts of the entry's graph. Empty: if
// Roam says that the graph is not encrypted.
func (c Config) TextsOf(e Entry) Switch {
	if c.History.Texts == Off {
		return Off
	}
	return e.History
}

// TextsUnsaid reports whether a graph is connected and it is not set whether the journal
// may hold its texts.
func (c Config) TextsUnsaid(g localapi.Graph) bool {
	entry, connected := c.FindGraph(g)
	return connected && c.TextsOf(entry) == ""
}

// SetHistory sets whether the journal may hold texts of a graph.
func (s *Store) SetHistory(ctx context.Context, nickname string, texts Switch) error {
	return s.update(ctx, func(d *document) error {
		i, err := d.find(nickname, s.path)
		if err != nil {
			return err
		}
		if e := &d.graphs[i]; e.historyFlaw != "" || e.entry.History != texts {
			e.setHistory(texts)
			e.reread()
			d.modified = true
		}
		return nil
	})
}

// SetAllHistory sets whether the journal may hold texts at all. Other fields stay as
// they are, wrong ones too.
func (s *Store) SetAllHistory(ctx context.Context, texts Switch) error {
	return s.update(ctx, func(d *document) error {
		var fields rawjson.Object
		if raw := d.root.Get("history"); len(raw) > 0 && raw[0] == '{' {
			var err error
			if fields, err = parseObject(raw); err != nil {
				return invalidHistory(s.path, err)
			}
		}
		if text, _ := fields.Text("texts"); Switch(text) == texts {
			return nil
		}
		d.root = d.root.With("history", fields.With("texts", texts).JSON())
		d.history, d.historyFlaw = decodeHistory(d.root.Get("history"))
		d.modified = true
		return nil
	})
}

func invalidHistory(path string, err error) error {
	return &problem.Error{
		Code:    CodeHistoryInvalid,
		Message: fmt.Sprintf("\"history\" in %s can't be changed: %v.", path, err),
		Hint:    problem.Say("Mend the file there. It is left as it is until then."),
		Place:   &problem.Place{Path: path}, Err: err,
	}
}

// setHistory sets the field, and removes what was meant to be it.
func (e *element) setHistory(texts Switch) {
	for _, m := range e.fields {
		if misspelt(m.Key) {
			e.fields = e.fields.Without(m.Key)
		}
	}
	e.fields = e.fields.With("history", texts)
}

// misspelt reports whether a key is probably meant to be "history". No newer program
// has a field of its own whose name begins so.
func misspelt(key string) bool {
	return key != "history" && strings.HasPrefix(strings.ToLower(key), "hist")
}

// decodeEntryHistory decodes the field of an entry. A flaw makes no entry unusable, but
// the value Off, so that nothing is kept which somebody meant not to be. Its offset is one
// in raw, whose fields are given.
func decodeEntryHistory(raw json.RawMessage, fields rawjson.Object) (texts Switch, flaw string, offset int) {
	for _, m := range fields {
		if misspelt(m.Key) {
			return Off, fmt.Sprintf("%s is no field of a graph; the one meant is probably \"history\"", quoted(m.Key)), rawjson.Offset(raw, m.Value)
		}
		if m.Key != "history" {
			continue
		}
		if texts, flaw = decodeSwitch("history", m.Value); flaw != "" {
			offset = rawjson.Offset(raw, m.Value)
		}
	}
	return texts, flaw, offset
}

// decodeSwitch decodes "on" and "off"; null is as good as nothing.
func decodeSwitch(key string, raw json.RawMessage) (Switch, string) {
	var texts Switch
	switch err := json.Unmarshal(raw, &texts); {
	case string(raw) == "null":
		return "", ""
	case err == nil && (texts == On || texts == Off):
		return texts, ""
	}
	return Off, fmt.Sprintf("%q must be \"on\" or \"off\"", key)
}

// historyFlaw says what is wrong with the history of the file, and at which offset of
// its value.
type historyFlaw struct {
	what   string
	offset int
	line   int // in the file
}

// decodeHistory decodes the field of the file. What is wrong with any of its fields
// turns Texts off, and the others count as far as they can be read.
func decodeHistory(raw json.RawMessage) (h History, flaw *historyFlaw) {
	wrong := func(offset int, what string) {
		h.Texts = Off
		if flaw == nil {
			flaw = &historyFlaw{what: what, offset: offset}
		}
	}
	if raw == nil || string(raw) == "null" {
		return h, nil
	}
	if raw[0] != '{' {
		wrong(0, `"history" must be an object such as {"texts": "off"}`)
		return h, flaw
	}
	fields, err := parseObject(raw)
	if err != nil {
		var duplicate *duplicateKeyError
		offset := 0
		if errors.As(err, &duplicate) {
			offset = duplicate.offset
		}
		wrong(offset, "in \"history\", "+err.Error())
		return h, flaw
	}
	texts := Switch("")
	for _, m := range fields {
		var what string
		switch m.Key {
		case "texts":
			texts, what = decodeSwitch("texts", m.Value)
		case "days":
			h.Days, what = decodeCount("days", m.Value, maxDays)
		case "megabytes":
			h.Megabytes, what = decodeCount("megabytes", m.Value, maxMegabytes)
		default:
			what = fmt.Sprintf("%s is no field of \"history\" that this roam-mcp knows", quoted(m.Key))
		}
		if what != "" {
			wrong(rawjson.Offset(raw, m.Value), what)
		}
	}
	if flaw == nil {
		h.Texts = texts
	}
	return h, flaw
}

// decodeCount decodes a number from 1 to most; null is as good as nothing.
func decodeCount(key string, raw json.RawMessage, most int) (int, string) {
	if string(raw) == "null" {
		return 0, ""
	}
	n, err := strconv.Atoi(string(raw))
	if err != nil || n < 1 || n > most {
		return 0, fmt.Sprintf("%q must be a number from 1 to %d", key, most)
	}
	return n, ""
}

// parseHistory reads the field of the file, which stands at an offset of its text.
func (d *document) parseHistory(text []byte, at int, m rawjson.Member) {
	if misspelt(m.Key) {
		d.history.Texts = Off
		d.historyFlaw = &historyFlaw{what: fmt.Sprintf("%s is no field of the file; the one meant is probably \"history\"", quoted(m.Key))}
	} else if h, flaw := decodeHistory(m.Value); d.historyFlaw == nil {
		d.history, d.historyFlaw = h, flaw
	}
	if d.historyFlaw != nil && d.historyFlaw.line == 0 {
		d.historyFlaw.line, _ = position(text, at+d.historyFlaw.offset)
	}
}

// historyProblem returns what is wrong with the file's history; nil if nothing is.
func (d *document) historyProblem() *Problem {
	if d.historyFlaw == nil {
		return nil
	}
	p := Problem{Code: CodeHistoryInvalid, Index: -1, Line: d.historyFlaw.line}
	p.Message = fmt.Sprintf("What the history keeps is misunderstood%s: %s. Until it is mended, no new texts are kept, of any graph.", p.place(), d.historyFlaw.what)
	p.Hint = problem.Say("Mend \"history\" in the file%s.", p.place())
	return &p
}

// historyProblem returns what is wrong with the history of element i; nil if nothing
// is.
func (r *resolver) historyProblem(i int) *Problem {
	e := r.elements[i]
	if e.historyFlaw == "" {
		return nil
	}
	p := Problem{Index: i, Line: e.line, Graph: shown(e.entry.Name), Nickname: shown(e.entry.Nickname), Code: CodeHistoryInvalid}
	if p.Line > 0 {
		p.Line += bytes.Count(e.raw[:e.historyAt], []byte("\n"))
	}
	p.Message = fmt.Sprintf("%s is used, but no new texts of it are kept in the history: %s%s.", p.subject(), e.historyFlaw, p.place())
	p.Hint = problem.Say("Mend \"history\" in the entry%s, or set it: %s", p.place(), problem.Run("history off").With("--graph", e.entry.Nickname))
	return &p
}
