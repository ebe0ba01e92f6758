package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

// effect is what a read after a write shows of it: Yes where something of it is there, with
// a sentence where that is not what was wanted; else Unknown, with a sentence on what is
// there instead. It is never No: what is not there may come.
type effect struct {
	applied Applied
	said    string
	reply   json.RawMessage // what the reply should have said; nil: it stays as it is
}

// verifiable is a Write of which facts show whether it was done.
type verifiable interface {
	visible
	// effect compares the facts after the write with what it was for. before are those that
	// it replaced; empty where nobody has read them.
	effect(before, after fact.State) effect
}

// confirm looks for a write that Roam says was done, since its reply may say nothing, or
// what is not so: with what the Recorder reads of it anyway, else once where the reply tells
// nothing.
//
// own reads what the write has made; nil: it is looked for as after a lost reply. since is
// when it was sent, as visible has it.
func (g sender) confirm(ctx context.Context, w Write, record Record, reply json.RawMessage, readMade readBack, since int64) Outcome {
	done := Outcome{Applied: Yes, Reply: reply}
	sought, canBeSeen := w.(visible)
	said := w.Done(reply)
	if !canBeSeen || said.Missing {
		return done
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.operations.options.LookTimeout)
	defer cancel()
	parts, isBatch := w.(batch)
	isBatch = isBatch && parts.reported()
	after, err := record.After(ctx)
	g.done.noteAfter(after)
	switch {
	case err != nil:
		return g.judge(w, done, unseen(err))
	case isBatch:
		return g.confirmParts(parts, record, after, reply)
	case after != nil:
		if facts, ok := w.(verifiable); ok {
			return g.judge(w, done, facts.effect(factsBefore(record), *after))
		}
	case said.Told && readMade != nil:
		return g.judge(w, done, readMade(ctx, reply))
	case said.Told:
		return done
	}
	return g.judge(w, done, g.seek(ctx, sought, since))
}

// factsBefore returns what a write was to change; nothing where nobody has read it.
func factsBefore(record Record) fact.State {
	if before := record.Before(); before != nil {
		return *before
	}
	return fact.State{}
}

// readBack reads what a write created, from the uids that its reply names.
type readBack func(ctx context.Context, reply json.RawMessage) effect

// seeker is a visible Write that is looked for in a way of its own where Roam says that it
// was done.
type seeker interface {
	// since is when it was sent, in ms.
	seen(ctx context.Context, look verifier, since int64) effect
}

// seek looks for a write without facts.
func (g sender) seek(ctx context.Context, sought visible, since int64) effect {
	look := verifier{g.core}
	if own, ok := sought.(seeker); ok {
		return own.seen(ctx, look, since)
	}
	if !sought.Capture().Class.Makes() { // what was as wanted before is as it should be
		since = 0
	}
	return effectOfFind(sought.find(ctx, look, since))
}

// effectOfFind returns what a find has shown of a write that Roam says was done.
func effectOfFind(applied Applied, evidence string) effect {
	switch {
	case applied == Yes:
		return effect{applied: Yes}
	case strings.HasPrefix(evidence, cantLookNow):
		return effect{applied: Yes, said: believed + evidence}
	}
	return effect{applied: Unknown, said: evidence}
}

// believed says of a write that it could not be looked for.
const believed = "Roam says that it is done. "

// unseen returns the effect of a write that could not be looked for.
func unseen(err error) effect {
	return effect{applied: Yes, said: believed + cantLook(err)}
}

// judge returns how a write ended of which a read has shown an effect.
func (g sender) judge(w Write, done Outcome, seen effect) Outcome {
	if seen.applied != Yes {
		return Outcome{Applied: Unknown, Evidence: "Not seen: " + seen.said, Err: notSeen(w, seen.said)}
	}
	g.done.say(seen.said)
	done.Evidence = seen.said
	if seen.reply != nil {
		done.Reply = seen.reply
	}
	return done
}

// notSeen is the error of a write that Roam says was done, and that is not there.
func notSeen(w Write, evidence string) *problem.Error {
	action, _ := w.Request()
	return &problem.Error{
		Code: CodeOutcomeUnknown, Retry: problem.RetryNever, Call: &problem.Call{Action: action, Sent: true},
		Message: "Roam answered that the write was done, but it is not seen in the graph. " + evidence,
		Hint:    problem.Say("Read the place in the graph before sending it again."),
		Details: []problem.Detail{{Name: DetailApplied, Value: Unknown}, {Name: DetailEvidence, Value: evidence}},
	}
}

// IsNotSeen reports whether an error is that of a write that Roam says was done, and that is
// not there.
func IsNotSeen(err error) bool {
	failed, ok := problem.As(err)
	return ok && failed.Code == CodeOutcomeUnknown && failed.Err == nil
}

// confirmParts is confirm of a batch on whose parts Roam reports. Of a part that is not seen
// the report says so.
func (g sender) confirmParts(b batch, record Record, after *fact.State, reply json.RawMessage) Outcome {
	parts, malformed := readReport(b, reply)
	switch {
	case malformed != nil:
		return Outcome{Applied: Unknown, Err: malformed}
	case after == nil:
		return Outcome{Applied: Yes, Reply: reply}
	}
	before := factsBefore(record)
	seen, unseen := 0, 0
	list := make([]json.RawMessage, len(b.uids()))
	for i, uid := range b.uids() {
		part := parts[i]
		if isOK(part) {
			switch shown := b.part(i).(verifiable).effect(before, *after); {
			case shown.applied == Yes:
				seen++
				g.done.say(shown.said)
			default:
				unseen++
				part = rawjson.With("uid", uid).Append(failedPart(notSeen(b.part(i), shown.said)))
			}
		}
		list[i] = part.JSON()
	}
	switch {
	case unseen == 0:
		return Outcome{Applied: Yes, Reply: reply}
	case seen > 0:
		return Outcome{Applied: Yes, Reply: rawjson.With("results", rawjson.Array(list)).JSON()}
	}
	failed := notSeen(b, fmt.Sprintf("Of %d blocks none is as the call wanted it.", len(list)))
	failed.Details = append(failed.Details, problem.Detail{Name: DetailResults, Value: rawjson.Array(list)})
	return Outcome{Applied: Unknown, Evidence: "Not seen: none of the blocks is as the call wanted it.", Err: failed}
}

// look is what of a page or block a call can change, by Roam's keys.
func lookOf(f fact.Fact) map[string]any {
	look := map[string]any{
		"string": f.Text, "title": f.Title, "heading": f.Heading, "open": f.Open == nil || *f.Open,
		"text-align": "left", "children-view-type": bullet, "block-view-type": f.BlockView, "props": Props("null"),
	}
	if f.Props != nil {
		look["props"] = Props(f.Props)
	}
	if f.Align != "" {
		look["text-align"] = f.Align
	}
	if f.ChildrenView != "" {
		look["children-view-type"] = f.ChildrenView
	}
	return look
}

// effectOf compares what a thing is with what it was to become.
func effectOf(thing Thing, uid string, changes []field, before, after fact.State) effect {
	now, read := after.Things[uid]
	if !read || now.Gone {
		return effect{applied: Unknown, said: "There is no such " + string(thing) + "."}
	}
	was, known := before.Things[uid]
	is, had := lookOf(now), lookOf(was)
	var others []string
	changed := false
	for _, f := range changes {
		wanted := f.value
		if wanted == "" && f.key != "string" {
			wanted = lookOf(fact.Fact{})[f.key]
		}
		same := is[f.key] == wanted || is[f.key] == f.value
		changed = changed || known && is[f.key] != had[f.key] || !known && same
		if !same {
			others = append(others, fmt.Sprintf("%s is %s now", f.key, textsafe.Quote(textsafe.Line(fmt.Sprint(is[f.key]), 300))))
		}
	}
	switch {
	case len(others) == 0:
		return effect{applied: Yes}
	case changed:
		return effect{applied: Yes, said: fmt.Sprintf("The %s %s is not as it was sent: %s.", thing, textsafe.Quote(uid), strings.Join(others, ", "))}
	case known:
		return effect{applied: Unknown, said: "The " + string(thing) + " is as it was before."}
	}
	return effect{applied: Unknown, said: "The " + string(thing) + " is not as the call wanted it: " + strings.Join(others, ", ") + "."}
}

func (u BlockUpdate) effect(before, after fact.State) effect {
	return effectOf(Block, u.UID, u.changes(), before, after)
}

func (u PageUpdate) effect(before, after fact.State) effect {
	if now, read := after.Things[u.UID]; u.Merge && read && now.Gone {
		return effect{applied: Yes}
	}
	return effectOf(Page, u.UID, u.changes(), before, after)
}

func (r Removal) effect(before, after fact.State) effect {
	was, known := before.Things[r.UID]
	now, read := after.Things[r.UID]
	switch {
	case read && !now.Gone:
		return effect{applied: Unknown, said: "The " + string(r.Thing) + " is still there."}
	case known && was.Gone:
		return effect{applied: Unknown, said: "There was no such " + string(r.Thing) + " before."}
	}
	return effect{applied: Yes}
}

func (m BlockMove) effect(before, after fact.State) effect {
	family := after.Things[m.ParentUID].Children
	at := slices.Index(family, m.UID)
	was := before.Things[m.ParentUID].Children
	switch {
	case at < 0:
		return effect{applied: Unknown, said: "The block is not below the new parent."}
	case m.Order.is(at, len(family)):
		return effect{applied: Yes}
	case slices.Equal(was, family):
		return effect{applied: Unknown, said: "The block is where it was before."}
	}
	return effect{applied: Yes, said: fmt.Sprintf("The block %s is the child number %d of %d now, counted from 0.", textsafe.Quote(m.UID), at, len(family))}
}

func (r Reordering) effect(before, after fact.State) effect {
	now := after.Things[r.ParentUID].Children
	switch {
	case slices.Equal(now, r.UIDs):
		return effect{applied: Yes}
	case slices.Equal(now, before.Things[r.ParentUID].Children):
		return effect{applied: Unknown, said: "The blocks are in the order they had before."}
	}
	return effect{applied: Yes, said: "The blocks are in another order than the one asked for: " + strings.Join(now, ", ") + "."}
}

// Notes returns what is to be said of the writes through the Graph beside the reply: where
// Roam stored something else than was sent, or put it at another place.
func (g sender) Notes() []string {
	g.done.mu.Lock()
	defer g.done.mu.Unlock()
	return slices.Clone(g.done.notes)
}

// say keeps a sentence on what was written; an empty one is none.
func (d *done) say(sentence string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if sentence != "" && !slices.Contains(d.notes, sentence) {
		d.notes = append(d.notes, sentence)
	}
}
