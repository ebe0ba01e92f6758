package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"roam-mcp/internal/observed"
)

// several joins the deviations of a check to its finding.
func (a *asking) several(parts []string) (string, error) {
	belief, _ := observed.Find(a.check.ID)
	return belief.Join(parts), nil
}

// deviates notes a deviation, and the call that shows it.
func (a *asking) deviates(parts *[]string, part string) {
	a.decide()
	*parts = append(*parts, part)
}

func silent(ctx context.Context, a *asking) (string, error) {
	parent, err := a.home(ctx)
	if err != nil {
		return "", err
	}
	missing, err := a.uid()
	if err != nil {
		return "", err
	}
	fresh, err := a.uid()
	if err != nil {
		return "", err
	}
	to := object{"parent-uid": parent, "order": 0}
	var parts []string
	for _, each := range []struct {
		part, action string
		arg          object
	}{
		{"create", "data.block.create", object{"location": object{"parent-uid": missing, "order": 0}, "block": object{"uid": fresh, "string": a.text("one")}}},
		{"update", "data.block.update", object{"block": object{"uid": missing, "string": a.text("one")}}},
		{"move", "data.block.move", object{"location": to, "block": object{"uid": missing}}},
		{"delete", "data.block.delete", object{"block": object{"uid": missing}}},
		{"reorder", "data.block.reorderBlocks", object{"location": object{"parent-uid": missing}, "blocks": []string{fresh}}},
	} {
		result, err := a.write(ctx, each.action, each.arg)
		switch {
		case err == nil && !notDeleted(result):
			a.deviates(&parts, each.part)
		case err != nil && !refused(err):
			return "", err
		}
	}
	return a.several(parts)
}

// notDeleted reports whether a reply says that there was nothing to delete.
func notDeleted(result json.RawMessage) bool {
	var said struct {
		Deleted *bool `json:"deleted"`
	}
	return json.Unmarshal(result, &said) == nil && said.Deleted != nil && !*said.Deleted
}

func takenTitle(ctx context.Context, a *asking) (string, error) {
	first, err := a.newPage(ctx, "taken")
	if err != nil {
		return "", err
	}
	uid, err := a.uid()
	if err != nil {
		return "", err
	}
	_, err = a.write(ctx, "data.page.fromMarkdown", object{"page": object{"title": a.title("taken"), "uid": uid}, "markdown-string": "- " + a.text("one")})
	if refused(err) {
		return "error", a.tidy(ctx, "taken")
	}
	if err != nil {
		return "", err
	}
	a.decide()
	pages, err := a.pagesTitled(ctx, a.title("taken"))
	if err != nil {
		return "", err
	}
	kids, err := a.children(ctx, first)
	if err != nil {
		return "", err
	}
	if len(pages) > 1 || len(kids) > 0 || len(pages) == 1 && pages[0].uid != first {
		return "adds", a.tidy(ctx, "taken")
	}
	return "silent", a.tidy(ctx, "taken")
}

// createAs makes a block with this uid, without a second try.
func (a *asking) createAs(ctx context.Context, parent, uid, text string) error {
	_, err := a.write(ctx, "data.block.create", object{"location": object{"parent-uid": parent, "order": "last"}, "block": object{"uid": uid, "string": text}})
	return err
}

// becameOf says what became of the creation of a block with this uid and text.
func (a *asking) becameOf(ctx context.Context, parent, uid, text string) (string, error) {
	a.decide()
	blocks, err := a.children(ctx, parent)
	if err != nil {
		return "", err
	}
	for _, b := range blocks {
		if b.text == text && b.uid == uid {
			return "honoured", nil
		}
		if b.text == text {
			return "other-uid", a.made.add([]string{b.uid}, nil)
		}
	}
	return "silent", nil
}

func uidHonoured(ctx context.Context, a *asking) (string, error) {
	parent, err := a.home(ctx)
	if err != nil {
		return "", err
	}
	uid, err := a.uid()
	if err != nil {
		return "", err
	}
	if err := a.createAs(ctx, parent, uid, a.text("one")); refused(err) {
		return "refused", nil
	} else if err != nil {
		return "", err
	}
	return a.becameOf(ctx, parent, uid, a.text("one"))
}

func takenUID(ctx context.Context, a *asking) (string, error) {
	parent, uids, err := a.siblings(ctx, "one")
	if err != nil {
		return "", err
	}
	if a.uids != honoured {
		return "", errOtherUID
	}
	if err := a.createAs(ctx, parent, uids[0], a.text("two")); refused(err) {
		return "error", nil
	} else if err != nil {
		return "", err
	}
	found, err := a.becameOf(ctx, parent, uids[0], a.text("two"))
	if found == "honoured" {
		found = "replaces"
	}
	return found, err
}

func uidReuse(ctx context.Context, a *asking) (string, error) {
	parent, uids, err := a.siblings(ctx, "one")
	if err != nil {
		return "", err
	}
	if a.uids != honoured {
		return "", errOtherUID
	}
	if _, err := a.write(ctx, "data.block.delete", object{"block": object{"uid": uids[0]}}); err != nil {
		return "", err
	}
	if err := a.createAs(ctx, parent, uids[0], a.text("two")); refused(err) {
		return "refused", nil
	} else if err != nil {
		return "", err
	}
	return a.becameOf(ctx, parent, uids[0], a.text("two"))
}

// orderOf returns the texts below a block, without the run's own word.
func (a *asking) orderOf(ctx context.Context, parent string) (string, error) {
	blocks, err := a.children(ctx, parent)
	words := make([]string, len(blocks))
	for i, b := range blocks {
		words[i] = strings.TrimPrefix(b.text, a.text(""))
	}
	return strings.Join(words, " "), err
}

func orderSameParent(ctx context.Context, a *asking) (string, error) {
	words := []string{"one", "two", "three", "four", "five"}
	parent, uids, err := a.siblings(ctx, words...)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, move := range []struct {
		part, word string
		order, at  int
	}{{"down", "one", 2, 2}, {"up", "five", 1, 1}, {"beyond", "two", 99, 4}} {
		before, err := a.orderOf(ctx, parent)
		if err != nil {
			return "", err
		}
		_, err = a.write(ctx, "data.block.move", object{
			"location": object{"parent-uid": parent, "order": move.order},
			"block":    object{"uid": uids[slices.Index(words, move.word)]},
		})
		if err != nil && !refused(err) {
			return "", err
		}
		want := slices.DeleteFunc(strings.Fields(before), func(word string) bool { return word == move.word })
		want = slices.Insert(want, move.at, move.word)
		moved := a.latest()
		after, err := a.orderOf(ctx, parent)
		if err != nil {
			return "", err
		}
		if after != strings.Join(want, " ") {
			if a.decisive == nil {
				a.decisive = &moved
			}
			parts = append(parts, move.part)
		}
	}
	return a.several(parts)
}

func ordersDense(ctx context.Context, a *asking) (string, error) {
	parent, uids, err := a.siblings(ctx, "one", "two", "three")
	if err != nil {
		return "", err
	}
	if _, err := a.write(ctx, "data.block.delete", object{"block": object{"uid": uids[1]}}); err != nil {
		return "", err
	}
	blocks, err := a.children(ctx, parent)
	if err != nil {
		return "", err
	}
	for i, b := range blocks {
		if b.order != i {
			return "gaps", nil
		}
	}
	return "dense", nil
}

func reorderPartial(ctx context.Context, a *asking) (string, error) {
	parent, uids, err := a.siblings(ctx, "one", "two", "three")
	if err != nil {
		return "", err
	}
	_, err = a.write(ctx, "data.block.reorderBlocks", object{"location": object{"parent-uid": parent}, "blocks": []string{uids[2], uids[0]}})
	if refused(err) {
		return "error", nil
	}
	if err != nil {
		return "", err
	}
	a.decide()
	order, err := a.orderOf(ctx, parent)
	if order == "three one two" {
		return "first", err
	}
	return "silent", err
}

func nestUnder(ctx context.Context, a *asking) (string, error) {
	parent, uids, err := a.siblings(ctx, "one", "one")
	if err != nil {
		return "", err
	}
	_, err = a.write(ctx, "data.block.fromMarkdown", object{
		"location": object{"parent-uid": parent, "order": "last", "nest-under-str": a.text("one")}, "markdown-string": "- " + a.text("two")})
	if err != nil {
		return "", err
	}
	a.decide()
	if below, err := a.below(ctx, uids[0]); err != nil || len(below) > 0 {
		return "first", err
	}
	direct, err := a.orderOf(ctx, parent)
	switch {
	case strings.HasSuffix(direct, "two"):
		return "ignored", err
	case direct == "one one one":
		return "new", err
	}
	return "other", err
}

func moveBelowItself(ctx context.Context, a *asking) (string, error) {
	_, uids, err := a.siblings(ctx, "one")
	if err != nil {
		return "", err
	}
	child, err := a.create(ctx, uids[0], a.text("two"))
	if err != nil {
		return "", err
	}
	_, err = a.write(ctx, "data.block.move", object{"location": object{"parent-uid": child, "order": 0}, "block": object{"uid": uids[0]}})
	if refused(err) {
		return "error", nil
	}
	return "silent", err
}

func batchForm(ctx context.Context, a *asking) (string, error) {
	_, uids, err := a.siblings(ctx, "one", "two")
	if err != nil {
		return "", err
	}
	result, err := a.write(ctx, "data.block.updateBlocks", object{"updates": []object{
		{"uid": uids[0], "string": a.text("three")}, {"uid": uids[1], "string": a.text("four")}}})
	if err != nil {
		return "", err
	}
	var report struct {
		Results []json.RawMessage `json:"results"`
	}
	var bare []json.RawMessage
	switch {
	case len(result) == 0 || string(result) == "null":
		return "none", nil
	case json.Unmarshal(result, &bare) == nil:
		return "list", nil
	case json.Unmarshal(result, &report) == nil && names(report.Results, uids):
		return "results", nil
	}
	return "count", nil
}

// names reports whether the items of a report are done and have these uids.
func names(items []json.RawMessage, uids []string) bool {
	if len(items) != len(uids) {
		return false
	}
	for i, item := range items {
		var said struct {
			UID string `json:"uid"`
			OK  bool   `json:"ok"`
		}
		if json.Unmarshal(item, &said) != nil || said.UID != uids[i] || !said.OK {
			return false
		}
	}
	return true
}

func batchActions(ctx context.Context, a *asking) (string, error) {
	parent, err := a.home(ctx)
	if err != nil {
		return "", err
	}
	if a.uids != honoured {
		return "", errOtherUID
	}
	upper, err := a.uid()
	if err != nil {
		return "", err
	}
	lower, err := a.uid()
	if err != nil {
		return "", err
	}
	step := func(parent, uid, word string) object {
		return object{"action": "create-block", "location": object{"parent-uid": parent, "order": 0}, "block": object{"uid": uid, "string": a.text(word)}}
	}
	_, err = a.write(ctx, "batchActions", object{"actions": []object{step(parent, upper, "one"), step(upper, lower, "two")}})
	if lacks(err) {
		return "missing", nil
	}
	if err != nil {
		return "", err
	}
	a.decide()
	below, err := a.below(ctx, parent)
	if err == nil && len(below) == 2 {
		return "in-order", nil
	}
	return "silent", err
}

func largeBody(ctx context.Context, a *asking) (string, error) {
	const size = 1 << 20
	_, err := a.inquire(ctx, `[:find ?u :in $ ?text :where [?b :block/uid `+quote(a.page)+`] [?b :block/uid ?u]]`, string(bytes.Repeat([]byte("x"), size)))
	if refused(err) {
		return "refused", nil
	}
	return "taken", err
}
