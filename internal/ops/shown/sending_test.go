package shown_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/problem"
)

var howToRead = shown.Reading{Param: "content", Call: problem.Say("call get_note")}

// place is the place of new content where there is none.
const placeOfNew = 0

// send sends the text of the agent, and reports what is not as the model has it.
func (h *history) send(s step) error {
	now := h.current()
	if !h.part || !h.cut.mark {
		h.text = strings.ReplaceAll(h.text, markOfCut, "") // it would be text of the user
	}
	if !h.read && len(h.page.kids) == 0 {
		h.view, h.part, h.read = &row{text: rootText}, false, true
	} else if !h.read {
		if _, err := h.memory.Read(now, howToRead); codeOf(err) != shown.CodeReadFirst {
			return fmt.Errorf("what was never shown is replaced: %v", err)
		}
		h.counts[string(shown.CodeReadFirst)]++
		return nil
	}
	view, sent := h.view, func(w *ways) *row { return tree(&row{text: rootText}, linesOf(h.text)) }
	if h.part {
		sent = func(w *ways) *row { return h.cut.read(w, h.text) }
		if text := strings.ReplaceAll(h.text, markOfCut, ""); strings.Trim(text, "\n ") == "" || h.cut.stub && strings.Trim(text, "\n -") == "" {
			view = h.withoutCut()
		}
	}
	allowed, ok := merged(view, sent, h.page, placeOfNew, h.part)
	got, m, err := h.sendIt(now)
	if err != nil {
		return err
	}
	if !ok {
		h.counts["too many ways"]++
	} else if !slices.ContainsFunc(allowed, func(o outcome) bool { return o.String() == got.String() }) {
		said := ""
		for _, o := range allowed {
			said += "or\n" + o.String()
		}
		return fmt.Errorf("%q is sent for\n%sof the view (part %v, %+v)\n%sit is\n%swant\n%s", h.text, drawn(h.page, 0), h.part, h.cut, drawnView(h.view, 0), got, strings.TrimPrefix(said, "or\n"))
	}
	if err := h.lost(got); err != nil {
		return err
	}
	at := slices.IndexFunc(allowed, func(o outcome) bool { return o.String() == got.String() })
	if at < 0 {
		h.forget()
		h.memory.Forget(pageUID)
		if got.page != nil {
			h.page = got.page
			h.name(h.page)
		}
		return nil
	}
	switch {
	case got.partOnly:
		h.counts[string(shown.CodePartOnly)]++
	case got.page == nil:
		h.counts[string(shown.CodeChangedSinceRead)]++
		return h.told(got)
	default:
		h.counts["written"]++
		return h.wrote(got, m, allowed[at].known)
	}
	return nil
}

// sendIt has the code do it.
func (h *history) sendIt(now shown.Current) (outcome, shown.Merged, error) {
	n, err := h.memory.Read(now, howToRead)
	if err != nil {
		return outcome{}, shown.Merged{}, fmt.Errorf("it can't be sent: %w", err)
	}
	sent, err := n.Parse(h.text, howToRead)
	if codeOf(err) == shown.CodePartOnly {
		return outcome{partOnly: true}, shown.Merged{}, nil
	}
	m, err := h.memory.Merge(n, sent, now, placeOfNew, howToRead)
	switch codeOf(err) {
	case shown.CodePartOnly:
		return outcome{partOnly: true}, m, nil
	case shown.CodeChangedSinceRead:
		var failed *problem.Error
		errors.As(err, &failed)
		o := outcome{}
		for _, each := range failed.Details[0].Value.([]shown.Changed) {
			o.conflicts = append(o.conflicts, each.UID)
		}
		slices.Sort(o.conflicts)
		return o, m, nil
	}
	return outcome{page: &row{text: rootText, kids: rowsOf(m.Want)}}, m, err
}

// withoutCut returns the view without the rows of which a part was shown.
func (h *history) withoutCut() *row {
	view, byUID := copied(h.view)
	for _, uid := range h.cut.left() {
		if r := byUID[uid]; r != nil {
			r.seen = false
		}
	}
	return view
}

// lost reports what is gone that the agent was not shown. It needs no model.
func (h *history) lost(got outcome) error {
	if got.page == nil {
		return nil
	}
	_, known := copied(h.view)
	_, there := copied(got.page)
	for _, r := range below(h.page) {
		was, is := known[r.uid], there[r.uid]
		if (was == nil || !was.seen || was.text != r.text) && (is == nil || is.text != r.text) {
			return fmt.Errorf("%q of %s is gone, which was not shown: %q was sent for\n%sof the view\n%sit is\n%s", r.text, r.uid, h.text, drawn(h.page, 0), drawnView(h.view, 0), got)
		}
	}
	return nil
}

func drawnView(r *row, depth int) string {
	var out strings.Builder
	for _, kid := range r.kids {
		text := kid.text
		if !kid.seen {
			text = "?"
		}
		out.WriteString(strings.Repeat("  ", depth) + text + " ^" + kid.uid + "\n" + drawnView(kid, depth+1))
	}
	return out.String()
}

// name gives new rows uids.
func (h *history) name(page *row) {
	for _, r := range below(page) {
		if r.uid == "" {
			r.uid = h.uid()
		}
	}
}

// wrote takes over what a write left, in the memory and in the model.
func (h *history) wrote(got outcome, m shown.Merged, known map[string]string) error {
	_, before := copied(h.page)
	h.page = got.page
	h.name(h.page)
	now := h.current()
	h.memory.Wrote(m, now, func() note.Rendering { return note.Render(now.Node) })
	if known == nil {
		h.memory.Forget(pageUID)
		h.forget()
		return nil
	}
	view, _ := copied(h.page)
	for _, r := range below(view) {
		text, knows := known[r.uid]
		if r.seen = knows || before[r.uid] == nil; knows {
			r.text = text
		}
	}
	h.view = view
	h.afterWrite()
	return nil
}

// afterWrite makes of a write what the model knows of the part that was shown.
func (h *history) afterWrite() {
	all := below(h.view)
	unseen := slices.ContainsFunc(all, func(r *row) bool { return !r.seen })
	if !h.part && !unseen {
		return
	}
	was, had := h.cut, h.part
	if !had {
		was = cut{}
	}
	h.part, h.cut = true, cut{mark: was.mark}
	first := slices.IndexFunc(all, func(r *row) bool { return r.seen })
	last := len(all) - 1
	for last >= 0 && !all[last].seen {
		last--
	}
	text, starts, _, ends := written(h.page)
	if first < 0 {
		if was.headless || was.trail != "" {
			h.forget()
		}
		return
	}
	from, to := starts[first], ends[last]
	whole := text[from:ends[first]]
	if was.headless && (all[first].uid != was.firstUID || !strings.HasPrefix(whole, was.front)) ||
		was.trail != "" && (all[last].uid != was.lastUID || !strings.HasSuffix(text[starts[last]:to], was.trail)) {
		h.forget()
		return
	}
	if was.headless {
		from += len(was.front)
	}
	if to -= len(was.trail); from > to {
		h.forget()
		return
	}
	h.cut, _ = cutOf(h.page, from, to, had && was.mark)
}

// forget has the agent read anew.
func (h *history) forget() { h.read, h.view, h.part = false, nil, false }

// told takes over what an error has told, in the model and in the text of the agent.
func (h *history) told(got outcome) error {
	_, there := copied(h.page)
	fresh, uids := false, []string{}
	for _, uid := range got.conflicts {
		if h.part && (uid == h.cut.firstUID && h.cut.headless || uid == h.cut.lastUID && h.cut.trail != "") {
			continue
		}
		view, known := copied(h.view)
		r, is := known[uid], there[uid]
		parent, at := parentOf(view, r)
		h.adopt(r, is)
		switch {
		case is == nil:
			parent.kids = slices.Replace(parent.kids, at, at+1, r.kids...)
		default:
			r.text, r.seen, uids = is.text, true, append(uids, uid)
			nowAbove, _ := parentOf(h.page, find(h.page, uid))
			fresh = fresh || nowAbove.uid != parent.uid
			for _, kid := range is.kids {
				if was := known[kid.uid]; was != nil && slices.Contains(r.kids, was) {
					continue
				}
				added, _ := copied(kid)
				r.kids = append(r.kids, added)
				for _, each := range append([]*row{added}, below(added)...) {
					fresh = fresh || known[each.uid] != nil
					each.seen, uids = true, append(uids, each.uid)
				}
			}
		}
		h.view = view
	}
	if fresh {
		_, known := copied(h.view)
		h.view, _ = copied(h.page)
		for _, r := range below(h.view) {
			was := known[r.uid]
			if r.seen = was != nil && was.seen || slices.Contains(uids, r.uid); was != nil && was.seen && !slices.Contains(uids, r.uid) {
				r.text = was.text
			}
		}
	}
	return nil
}

func find(page *row, uid string) *row {
	return below(page)[slices.IndexFunc(below(page), func(r *row) bool { return r.uid == uid })]
}

// adopt lets the agent take over what it was told of a row: nil, it is not there any more.
func (h *history) adopt(was, is *row) {
	lines := strings.Split(h.text, h.sep)
	for i, each := range lines {
		bare := strings.TrimLeft(each, " -")
		switch {
		case bare != was.text && likeness(bare, was.text) == 0:
			continue
		case is == nil:
			lines = slices.Delete(lines, i, i+1)
		default:
			lines[i] = each[:len(each)-len(bare)] + is.text
		}
		break
	}
	h.text = strings.Join(lines, h.sep)
}
