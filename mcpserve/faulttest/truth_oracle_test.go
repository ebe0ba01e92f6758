package faulttest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/testutil/rebuild"
)

// truthState is a graph in lines, in which what a call has made has no uid.
type truthState struct {
	graph rebuild.Graph
	lines []string
}

var uidInText = regexp.MustCompile(`\(\(([\w-]{9,})\)\)`)

// stateOf shows a graph. known has the uids that are kept.
func stateOf(g, known rebuild.Graph) truthState {
	s := truthState{graph: g}
	name := func(uid string) string {
		if known.Nodes[uid] == nil {
			return "+"
		}
		return uid
	}
	var show func(uid, indent string)
	show = func(uid, indent string) {
		node := g.Nodes[uid]
		text := uidInText.ReplaceAllStringFunc(textOf(node), func(ref string) string { return "((" + name(strings.Trim(ref, "()")) + "))" })
		line := indent + name(uid) + " " + fmt.Sprintf("%q", text)
		for _, key := range slices.Sorted(maps.Keys(node.Attrs)) {
			if key != ":block/string" && key != ":node/title" {
				line += " " + key + "=" + node.Attrs[key]
			}
		}
		s.lines = append(s.lines, line)
		for _, child := range node.Children {
			show(child, indent+"  ")
		}
	}
	var tops []string
	for uid, node := range g.Nodes {
		if node.Parent == "" {
			tops = append(tops, uid)
		}
	}
	slices.SortFunc(tops, func(a, b string) int { return strings.Compare(textOf(g.Nodes[a])+name(a), textOf(g.Nodes[b])+name(b)) })
	for _, uid := range tops {
		show(uid, "")
	}
	shortcuts := slices.Clone(g.Shortcuts)
	for i, uid := range shortcuts {
		shortcuts[i] = name(uid)
	}
	s.lines = append(s.lines, fmt.Sprintf("shortcuts %q", shortcuts))
	return s
}

func (s truthState) is(other truthState) bool { return slices.Equal(s.lines, other.lines) }

// textOf returns the title of a page or the text of a block.
func textOf(n *rebuild.Node) (text string) {
	for _, key := range []string{":node/title", ":block/string"} {
		if value, there := n.Attrs[key]; there && json.Unmarshal([]byte(value), &text) == nil {
			return text
		}
	}
	return ""
}

// texts counts the texts of the pages and blocks that keep is true of; nil: of all.
func (s truthState) texts(keep func(uid string) bool) map[string]int {
	n := map[string]int{}
	for uid, node := range s.graph.Nodes {
		if text := textOf(node); text != "" && (keep == nil || keep(uid)) {
			n[text]++
		}
	}
	return n
}

// lacking returns the texts that are more often in one multiset than in another.
func lacking(of, from map[string]int) map[string]int {
	left := map[string]int{}
	for text, n := range of {
		if n > from[text] {
			left[text] = n - from[text]
		}
	}
	return left
}

// truthAnswer is what a call answered.
type truthAnswer struct {
	kind     string // done; done, said by an error; in part; unknown; not done; or none
	fields   map[string]any
	texts    []string // all that it says
	warnings []string // of a success
	raw      string
}

// has reports whether an answer shows a text: each of its lines.
func (a truthAnswer) has(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, "\r")
		quoted := strings.Trim(fmt.Sprintf("%q", line), `"`)
		if !slices.ContainsFunc(a.texts, func(said string) bool { return strings.Contains(said, line) || strings.Contains(said, quoted) }) {
			return false
		}
	}
	return true
}

// truthRun is a call, and the graph around it.
type truthRun struct {
	before, after truthState
	answer        truthAnswer
	writes        []truthWrite
	changes       []history.ChangeRecord
	late          bool // writes were done after the answer
	deletes       bool // the tool takes away
	took          time.Duration
}

// broken returns the rules that a run breaks, each with what broke it. clean is the same
// call of a Roam as it should be.
func (r truthRun) broken(clean truthRun) []string {
	if r.answer.kind == "none" {
		return []string{"0 no answer came"}
	}
	return slices.Concat(r.losses(clean), r.doubled(clean), r.untold(), r.misremembered(clean), r.overstated(clean))
}

// losses are texts that are gone although the call was not to remove them, or that went
// before what was to take their place was there.
func (r truthRun) losses(clean truthRun) (broken []string) {
	gone := lacking(r.before.texts(nil), r.after.texts(nil))
	for text := range lacking(gone, lacking(clean.before.texts(nil), clean.after.texts(nil))) {
		if !(r.answer.kind != "done" && r.answer.has(text)) {
			broken = append(broken, fmt.Sprintf("1 lost: %q is gone", text))
		}
	}
	removed := slices.Sorted(maps.Keys(r.before.graph.Nodes))
	removed = slices.DeleteFunc(removed, func(uid string) bool { return r.after.graph.Nodes[uid] != nil })
	wanted := clean.after.texts(func(uid string) bool { return clean.before.graph.Nodes[uid] == nil })
	for text := range lacking(wanted, lacking(r.after.texts(nil), r.before.texts(nil))) {
		if len(removed) > 0 && lacking(map[string]int{text: 1}, r.after.texts(nil))[text] > 0 && !(r.answer.kind != "done" && r.answer.has(text)) {
			broken = append(broken, fmt.Sprintf("1 lost: %q went, and %q is not there", textOf(r.before.graph.Nodes[removed[0]]), text))
		}
	}
	return broken
}

// doubled are texts that are there once more than the call was to leave them. An answer that
// only a part was done may find some where they were and where they are to be.
func (r truthRun) doubled(clean truthRun) (broken []string) {
	if r.answer.kind == "in part" {
		return nil
	}
	wanted, was := clean.after.texts(nil), r.before.texts(nil)
	for text, n := range r.after.texts(nil) {
		if wanted[text] > 0 && n > max(wanted[text], was[text]) {
			broken = append(broken, fmt.Sprintf("1 doubled: %q is there %d times, wanted %d", text, n, wanted[text]))
		}
	}
	return broken
}

// overstated is what an answer says was done that was not.
func (r truthRun) overstated(clean truthRun) (broken []string) {
	if r.answer.kind != "done" && r.answer.kind != "done, said by an error" || r.warned(clean) {
		return nil
	}
	if clean.answer.kind == "not done" {
		if r.after.is(r.before) {
			if r.deletes {
				return nil // what is not there is gone
			}
			return []string{"2 overstated: success, where there was nothing to do it with"}
		}
		return []string{"2 overstated: success, without a word that Roam did what it should refuse: " + strings.Join(rebuild.Differences(r.after.graph, r.before.graph), "; ")}
	}
	if r.after.is(clean.after) {
		return nil
	}
	instead, missing := lacking(r.after.texts(nil), clean.after.texts(nil)), lacking(clean.after.texts(nil), r.after.texts(nil))
	for _, text := range slices.Sorted(maps.Keys(instead)) {
		if !r.answer.has(text) && clean.after.texts(nil)[text] == 0 {
			broken = append(broken, fmt.Sprintf("2 overstated: success, and %q is there unsaid, wanted %q", text, slices.Sorted(maps.Keys(missing))))
		}
	}
	switch {
	case len(broken) > 0:
	case len(missing) > 0 && len(instead) == 0:
		broken = append(broken, fmt.Sprintf("2 overstated: success, and %q is not there", slices.Sorted(maps.Keys(missing))))
	case len(missing) == 0 && len(instead) == 0 && !r.showsPlaces():
		broken = append(broken, "2 overstated: success, and not so: "+firstDifference(r.after.lines, clean.after.lines))
	}
	return broken
}

// showsPlaces reports whether an answer tells where something stands that the call put
// there: the index, or all of its siblings in order.
func (r truthRun) showsPlaces() bool {
	order, told := r.answer.fields["order"].(float64)
	for uid, node := range r.after.graph.Nodes {
		was := r.before.graph.Nodes[uid]
		if was != nil && was.Parent == node.Parent && slices.Equal(siblings(r.before.graph, uid), siblings(r.after.graph, uid)) {
			continue
		}
		beside := siblings(r.after.graph, uid)
		if told && int(order) == slices.Index(beside, uid) && slices.Contains(r.answer.texts, uid) {
			return true
		}
	}
	return false
}

func siblings(g rebuild.Graph, uid string) []string {
	if above := g.Nodes[g.Nodes[uid].Parent]; above != nil {
		return above.Children
	}
	return nil
}

// warned reports whether an answer has a warning that the clean one does not have.
func (r truthRun) warned(clean truthRun) bool {
	return slices.ContainsFunc(r.answer.warnings, func(w string) bool { return !slices.Contains(clean.answer.warnings, w) })
}

// untold is what was done of what an answer says was not, and what is not as an answer says
// that is in part.
func (r truthRun) untold() []string {
	same := r.after.is(r.before)
	switch r.answer.kind {
	case "not done":
		if !same {
			return []string{"3 untold: \"not done\", and " + firstDifference(r.after.lines, r.before.lines)}
		}
	case "in part":
		return r.partly(same)
	}
	return nil
}

func (r truthRun) partly(same bool) (broken []string) {
	if same && r.answer.fields["done"] != nil {
		broken = append(broken, "2 overstated: \"a part was done\", and nothing was")
	}
	changed := func(uid string) bool {
		was, is := r.before.graph.Nodes[uid], r.after.graph.Nodes[uid]
		return was == nil || is == nil || !maps.Equal(was.Attrs, is.Attrs) || was.Parent != is.Parent
	}
	done, _ := r.answer.fields["done"].(map[string]any)
	for kind, list := range done {
		uids, _ := list.([]any)
		for _, each := range uids {
			uid, _ := each.(string)
			_, there := r.after.graph.Nodes[uid]
			if there == (kind == "deleted") || kind == "updated" && !changed(uid) {
				broken = append(broken, fmt.Sprintf("2 overstated: it says that %s was %s", uid, kind))
			}
		}
	}
	results, _ := r.answer.fields["results"].([]any)
	for _, each := range results {
		part, _ := each.(map[string]any)
		uid, _ := part["uid"].(string)
		ok, _ := part["ok"].(bool)
		applied, told := part["applied"]
		switch {
		case told && applied == nil, part["code"] == "OUTCOME_UNKNOWN" && applied == nil:
		case ok && !changed(uid):
			broken = append(broken, fmt.Sprintf("2 overstated: it says that %s was done", uid))
		case !ok && r.before.graph.Nodes[uid] != nil && changed(uid):
			broken = append(broken, fmt.Sprintf("3 untold: it says that %s was not done", uid))
		}
	}
	return broken
}

// truthStays begins what is said of a change that the history can't take back.
const truthStays = "4 history: it can't be taken back: "

// misremembered is what the history says that is not so, or not as the answer.
func (r truthRun) misremembered(clean truthRun) (broken []string) {
	nth, next := map[string]int{}, 0
	allDone := len(r.changes) > 0
	for _, change := range r.changes {
		allDone = allDone && change.State == history.StateDone
		at := slices.IndexFunc(r.writes[next:], func(w truthWrite) bool { return w.action == change.Action })
		if at < 0 {
			if change.State == history.StateDone {
				broken = append(broken, "4 history: done, and never sent: "+change.Action)
			}
			continue
		}
		write := r.writes[next+at]
		next += at + 1
		changed := write.changed() || r.late && !r.after.is(r.before)
		nth[change.Action]++
		switch change.State {
		case history.StateDone:
			if !changed && cleanChanged(clean, change.Action, nth[change.Action]) {
				broken = append(broken, "4 history: done, and nothing was: "+change.Action)
			}
		case history.StateRefused, history.StateNotDone:
			if changed {
				broken = append(broken, "4 history: "+string(change.State)+", and it was done: "+change.Action)
			}
		case history.StateUnknown:
		case history.StateOpen:
			broken = append(broken, "4 history: open after the answer: "+change.Action)
		}
	}
	if r.answer.kind == "unknown" && allDone {
		broken = append(broken, "4 history: done, and the answer does not know")
	}
	if allDone && r.answer.kind == "done" && !r.late && clean.remaining() == "" {
		if left := r.remaining(); left != "" && !r.saysUnread() {
			broken = append(broken, truthStays+left)
		}
	}
	return broken
}

// remaining returns what is otherwise than before once the changes in the history are taken
// back, from what the history has of them; empty where nothing is.
func (r truthRun) remaining() string {
	graph := r.after.graph.Clone()
	for _, change := range slices.Backward(r.changes) {
		if err := graph.Undo(change); err != nil {
			return err.Error()
		}
	}
	return strings.Join(rebuild.Differences(graph, r.before.graph), "; ")
}

// saysUnread reports whether the history says of a change that what it left can't be read.
func (r truthRun) saysUnread() bool {
	return slices.ContainsFunc(r.changes, func(c history.ChangeRecord) bool { return slices.Contains(c.Lacks, "what it left could not be read") })
}

// cleanChanged reports whether the nth write of an action changed a Roam as it should be.
func cleanChanged(clean truthRun, action string, nth int) bool {
	for _, write := range clean.writes {
		if write.action != action {
			continue
		}
		if nth--; nth == 0 {
			return write.changed()
		}
	}
	return false
}

func firstDifference(is, wanted []string) string {
	for i := range max(len(is), len(wanted)) {
		at := func(lines []string) string {
			if i < len(lines) {
				return strings.TrimSpace(lines[i])
			}
			return "nothing"
		}
		if at(is) != at(wanted) {
			return fmt.Sprintf("there is %s, not %s", at(is), at(wanted))
		}
	}
	return "no difference"
}
