package undo

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roam-mcp/internal/graph/fact"
)

// now reads what the graph has at what the change touched. What is planned of it counts more.
func (w *walk) now(ctx context.Context, planned fact.State) (Now, error) {
	now := Now{State: fact.State{Things: map[string]fact.Fact{}}, Holders: map[string]string{}}
	if err := w.readMade(ctx, &now); err != nil {
		return now, err
	}
	if err := w.readRest(ctx, &now); err != nil {
		return now, err
	}
	if err := w.readHolders(ctx, &now); err != nil {
		return now, err
	}
	if w.undo.Recording == nil {
		if err := w.readFamilies(ctx, &now); err != nil {
			return now, err
		}
	}
	if w.change.Before.Shortcuts != nil {
		list, err := fact.Shortcuts(ctx, w.undo.Ask)
		if err != nil {
			return now, err
		}
		now.State.Shortcuts = list.Shortcuts
	}
	if err := w.readHeld(ctx, &now, planned); err != nil {
		return now, err
	}
	pretend(&now, planned)
	w.pretendHolders(&now, planned)
	return now, nil
}

// readHeld reads whether a text has the address of the file that the change uploaded, but for what is
// planned to have another one.
func (w *walk) readHeld(ctx context.Context, now *Now, planned fact.State) error {
	address := w.change.After.File
	if address == "" {
		return nil
	}
	for _, attribute := range []string{":block/string", ":node/title"} {
		rows, err := w.undo.pairs(ctx, `[:find ?u ?s :in $ ?a :where [?b `+attribute+` ?s] [(clojure.string/includes? ?s ?a)] [?b :block/uid ?u]]`, address)
		if err != nil {
			return err
		}
		for _, row := range rows {
			is, known := planned.Things[row[0]]
			now.Held = now.Held || !known || !is.Gone && strings.Contains(is.Text+is.Title, address)
		}
	}
	return nil
}

// readMade reads the blocks that the change made, with all below them and what refers to it.
func (w *walk) readMade(ctx context.Context, now *Now) error {
	var made, tops []string
	own := map[string]bool{}
	for _, touch := range w.change.Touches {
		if f := w.change.After.Things[touch.UID]; touch.Role == fact.RoleMade && !f.IsPage() && !f.Gone {
			made = append(made, touch.UID)
			own[touch.UID] = true
		}
	}
	for _, uid := range made {
		if !own[w.change.After.Things[uid].Parent] {
			tops = append(tops, uid)
		}
	}
	for len(tops) > 0 {
		read, err := fact.Removing(ctx, w.undo.Ask, tops)
		if err != nil {
			return fmt.Errorf("read what was made: %w", err)
		}
		maps.Copy(now.State.Things, read.State.Things)
		now.Referrers = append(now.Referrers, read.Referrers...)
		tops = nil
		for _, uid := range made { // what lies elsewhere by now
			if _, there := now.State.Things[uid]; !there {
				tops = append(tops, uid)
			}
		}
	}
	return nil
}

// readRest reads all else that the change touched, and what it lay below.
func (w *walk) readRest(ctx context.Context, now *Now) error {
	asked := map[string]bool{}
	add := func(uid string) {
		if _, read := now.State.Things[uid]; !read && uid != "" {
			asked[uid] = true
		}
	}
	if w.change.Class == fact.ClassShortcut { // the list is all that it changed
		return nil
	}
	for _, touch := range w.change.Touches {
		if touch.Role != fact.RolePlace {
			add(touch.UID)
		}
	}
	for uid, was := range w.change.Before.Things {
		add(uid)
		if left := w.change.After.Things[uid]; left.Gone || left.Parent != was.Parent {
			add(was.Parent)
		}
	}
	for uid := range w.change.After.Things {
		if !w.change.Class.Makes() || w.change.After.Things[uid].IsPage() {
			add(uid)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	add(w.undo.Under)
	read, err := fact.Things(ctx, w.undo.Ask, slices.Sorted(maps.Keys(asked)))
	if err != nil {
		return fmt.Errorf("read what was changed: %w", err)
	}
	maps.Copy(now.State.Things, read.Things)
	return nil
}

// readHolders reads which pages have the titles that pages are to get back.
func (w *walk) readHolders(ctx context.Context, now *Now) error {
	titles := w.titlesBack()
	if len(titles) == 0 {
		return nil
	}
	var err error
	if now.Holders, err = w.holders(ctx, titles); err != nil || len(now.Holders) == 0 {
		return err
	}
	uids := slices.Sorted(maps.Values(now.Holders))
	if now.Used, err = w.referred(ctx, uids); err != nil {
		return err
	}
	read, err := fact.Things(ctx, w.undo.Ask, uids)
	for uid, is := range read.Things {
		mentioned := now.Used[uid] && is.Created < w.began
		now.Used[uid] = mentioned || !isEmptyPage(is)
	}
	return err
}

// titlesBack returns the titles that pages are to get back, in order.
func (w *walk) titlesBack() (titles []string) {
	for uid, was := range w.change.Before.Things {
		if left, known := w.change.After.Things[uid]; known && was.Title != "" && left.Title != was.Title {
			titles = append(titles, was.Title)
		}
	}
	slices.Sort(titles)
	return titles
}

// holders returns the uids of the pages that have some titles.
func (w *walk) holders(ctx context.Context, titles []string) (map[string]string, error) {
	rows, err := w.undo.pairs(ctx, `[:find ?t ?u :in $ [?t ...] :where [?p :node/title ?t] [?p :block/uid ?u]]`, titles)
	holders := map[string]string{}
	for _, row := range rows {
		holders[row[0]] = row[1]
	}
	return holders, err
}

// referrersOf finds the uids of what refers to some pages.
const referrersOf = `[:find ?u ?r :in $ [?u ...] :where [?p :block/uid ?u] [?b :block/refs ?p] [?b :block/uid ?r]]`

// referred returns which of some pages something else refers to.
func (w *walk) referred(ctx context.Context, uids []string) (map[string]bool, error) {
	rows, err := w.undo.pairs(ctx, referrersOf, uids)
	referred := map[string]bool{}
	for _, row := range rows {
		referred[row[0]] = referred[row[0]] || row[0] != row[1]
	}
	return referred, err
}

// pairs runs a query that finds pairs of texts.
func (u *Undo) pairs(ctx context.Context, query string, input any) (rows [][2]string, err error) {
	answer, err := u.Ask(ctx, "q", query, input)
	if err == nil {
		err = json.Unmarshal(answer, &rows)
	}
	if err != nil {
		return nil, fmt.Errorf("read titles and references: %w", err)
	}
	return rows, nil
}

// family returns the children of a block or page.
func (w *walk) family(parent string) []string { return w.state.Things[parent].Children }

// setFamily notes the children of a block or page.
func (w *walk) setFamily(parent string, children []string) {
	f := w.state.Things[parent]
	f.UID, f.Children = parent, children
	w.state.Things[parent] = f
}
