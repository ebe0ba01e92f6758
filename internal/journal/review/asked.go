package review

import (
	"strings"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
)

// shortcutSection returns what has changed in the list of shortcuts.
func (w *whole) shortcutSection() []Section {
	was, is := w.shortcuts[0], w.shortcuts[1]
	if was == nil || is == nil {
		return nil
	}
	s := Section{Path: []string{"Shortcuts"}}
	for i, uid := range was {
		if place(is, uid) == 0 {
			s.Lines = append(s.Lines, DiffLine{Note, w.called(uid) + " taken out, was number " + plain(i+1)})
		}
	}
	for i, uid := range is {
		if place(was, uid) == 0 {
			s.Lines = append(s.Lines, DiffLine{Note, w.called(uid) + " put in as number " + plain(i+1)})
		} else if w.roles[uid].has(fact.RoleTarget) && place(was, uid) != i+1 {
			s.Lines = append(s.Lines, DiffLine{Note, w.called(uid) + " moved to number " + plain(i+1) + ", was " + plain(place(was, uid))})
		}
	}
	if len(s.Lines) == 0 {
		return nil
	}
	return []Section{s}
}

// place returns the number of a page in a list, from 1; 0 where it is not there.
func place(list []string, uid string) int {
	for i, each := range list {
		if each == uid {
			return i + 1
		}
	}
	return 0
}

// asked returns what was asked for by changes of which no facts are kept.
func asked(changes []history.ChangeRecord) (sections []Section) {
	for _, c := range changes[:min(len(changes), mostLines)] {
		s := Section{}
		if len(c.Request) > 0 {
			s.Lines = append(s.Lines, DiffLine{Context, cut(clean(c.Action+" "+string(c.Request)), 400)})
		}
		if left, err := fact.Parse(c.After); err == nil && left.File != "" {
			s.Lines = append(s.Lines, DiffLine{Context, "the file is " + cut(clean(left.File), 400)})
		}
		if uids := touched(c.Touches); len(uids) > 0 {
			s.Lines = append(s.Lines, DiffLine{Context, "touched " + strings.Join(uids, ", ")})
		}
		if len(s.Lines) > 0 {
			sections = append(sections, s)
		}
	}
	return sections
}

func touched(touches []fact.Touch) (uids []string) {
	for _, touch := range touches {
		if len(uids) == 10 {
			return append(uids, "and "+plain(len(touches)-10)+" more")
		}
		uids = append(uids, "(("+clean(touch.UID)+"))")
	}
	return uids
}

// foot says what is not shown, and what can't be brought back.
func (w *whole) foot(r history.Record) (lines []string) {
	if r.Call.TextsGone {
		lines = append(lines, "Its texts are not kept.")
	}
	if w.unread {
		lines = append(lines, "What became of all this has not been read.")
	}
	for _, lack := range w.lacks[:min(len(w.lacks), 10)] {
		lines = append(lines, "Can't be brought back: "+cut(clean(lack), 200))
	}
	return lines
}
