package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

func silent(ctx context.Context, a *asking) string {
	home, missing, fresh := a.home(ctx), a.fresh(), a.fresh()
	nothing, block := object{"uid": missing}, object{"uid": fresh, "string": a.say("one")}
	if !a.honours {
		delete(block, "uid")
	}
	for _, each := range []struct {
		part, action string
		arg          object
	}{
		{"create", "data.block.create", object{"location": at(missing, 0), "block": block}},
		{"update", "data.block.update", part(missing, "string", a.say("one"))},
		{"move", "data.block.move", object{"location": at(home, 0), "block": nothing}},
		{"delete", "data.block.delete", object{"block": nothing}},
		{"reorder", "data.block.reorderBlocks", object{"location": object{"parent-uid": missing}, "blocks": []string{fresh}}},
	} {
		var said struct{ Deleted *bool }
		result, taken := a.try(ctx, each.action, each.arg)
		if taken && (json.Unmarshal(result, &said) != nil || said.Deleted == nil || *said.Deleted) {
			a.deviates(each.part)
		}
	}
	return a.several()
}

func takenTitle(ctx context.Context, a *asking) string {
	first := a.newPage(ctx, "taken")
	_, taken := a.try(ctx, "data.page.fromMarkdown", object{
		"page": object{"title": a.title("taken"), "uid": a.fresh()}, "markdown-string": "- " + a.say("one")})
	a.decide()
	found := "error"
	if taken {
		found = "silent"
		pages := a.pagesTitled(ctx, []string{a.title("taken")})
		if len(pages) != 1 || pages[0].uid != first || len(a.children(ctx, first)) > 0 {
			found = "adds"
		}
	}
	a.tidy(ctx, "taken")
	return found
}

// given creates a block with a uid, and says what became of that.
func (a *asking) given(ctx context.Context, parent, uid, text string) string {
	if !a.createAs(ctx, parent, uid, text) {
		return "refused"
	}
	for _, b := range a.children(ctx, parent) {
		if b.text == text {
			a.list([]string{b.uid}, nil)
			return which(b.uid == uid, "honoured", "other-uid")
		}
	}
	return "silent"
}

func uidHonoured(ctx context.Context, a *asking) string {
	return a.given(ctx, a.home(ctx), a.fresh(), a.say("one"))
}

func takenUID(ctx context.Context, a *asking) string {
	parent, uids := a.siblings(ctx, "one")
	a.ownUIDs()
	switch found := a.given(ctx, parent, uids[0], a.say("two")); found {
	case "refused":
		return "error"
	case "honoured":
		return "replaces"
	default:
		return found
	}
}

func uidReuse(ctx context.Context, a *asking) string {
	parent, uids := a.siblings(ctx, "one")
	a.ownUIDs()
	a.delete(ctx, uids[0])
	return a.given(ctx, parent, uids[0], a.say("two"))
}

func createLooks(ctx context.Context, a *asking) string {
	block := object{"uid": a.fresh(), "string": a.say("one"), "heading": 2, "open": false, "text-align": "center", "children-view-type": "numbered", "block-view-type": "side"}
	if !a.honours {
		delete(block, "uid")
	}
	a.do(ctx, "data.block.create", object{"location": at(a.home(ctx), 0), "block": block})
	made := a.children(ctx, a.home(ctx))
	if len(made) != 1 {
		a.fail(errUnclear)
		return ""
	}
	a.list([]string{made[0].uid}, nil)
	for i, attribute := range []string{":block/heading 2", ":block/open false", `:block/text-align "center"`, ":children/view-type :numbered", ":block/view-type :side"} {
		if len(a.rows(ctx, "?b", `[?b :block/uid `+quote(made[0].uid)+`] [?b `+attribute+`]`)) == 0 {
			a.deviates(a.belief.Otherwise[i])
		}
	}
	return a.several()
}

func propsKept(ctx context.Context, a *asking) string {
	_, uids := a.siblings(ctx, "one")
	if _, taken := a.try(ctx, "data.block.update", part(uids[0], "props", object{"roam-mcp": "probe"})); !taken {
		return "refused"
	}
	return which(len(a.rows(ctx, "?p", `[?b :block/uid `+quote(uids[0])+`] [?b :block/props ?p]`)) > 0, "kept", "ignored")
}

func orderSameParent(ctx context.Context, a *asking) string {
	words := []string{"one", "two", "three", "four", "five"}
	parent, uids := a.siblings(ctx, words...)
	for _, move := range []struct {
		part, word string
		order, at  int
	}{{"down", "one", 2, 2}, {"up", "five", 1, 1}, {"beyond", "two", 99, 4}} {
		want := slices.DeleteFunc(strings.Fields(a.order(ctx, parent)), func(word string) bool { return word == move.word })
		a.move(ctx, uids[slices.Index(words, move.word)], at(parent, move.order))
		if after := a.order(ctx, parent); a.err == nil && after != strings.Join(slices.Insert(want, move.at, move.word), " ") {
			a.deviates(move.part)
		}
	}
	return a.several()
}

func ordersDense(ctx context.Context, a *asking) string {
	parent, uids := a.siblings(ctx, "one", "two", "three")
	a.delete(ctx, uids[1])
	for i, b := range a.children(ctx, parent) {
		if b.order != i {
			return "gaps"
		}
	}
	return "dense"
}

func reorderPartial(ctx context.Context, a *asking) string {
	parent, uids := a.siblings(ctx, "one", "two", "three")
	if _, taken := a.try(ctx, "data.block.reorderBlocks", object{"location": object{"parent-uid": parent}, "blocks": []string{uids[2], uids[0]}}); !taken {
		return "error"
	}
	return which(a.order(ctx, parent) == "three one two", "first", "silent")
}

func nestUnder(ctx context.Context, a *asking) string {
	parent, uids := a.siblings(ctx, "one", "one")
	a.do(ctx, "data.block.fromMarkdown", object{
		"location": object{"parent-uid": parent, "order": "last", "nest-under-str": a.say("one")}, "markdown-string": "- " + a.say("two")})
	below := a.children(ctx, uids[0])
	switch direct := a.order(ctx, parent); {
	case len(below) > 0:
		return "first"
	case strings.Contains(direct, "two"):
		return "ignored"
	case direct == "one one one":
		return "new"
	}
	return "other"
}

func moveBelowItself(ctx context.Context, a *asking) string {
	_, uids := a.siblings(ctx, "one")
	return which(a.move(ctx, uids[0], at(a.make(ctx, uids[0], a.say("two")), 0)), "silent", "error")
}

func batchForm(ctx context.Context, a *asking) string {
	_, uids := a.siblings(ctx, "one", "two")
	result := a.do(ctx, "data.block.updateBlocks", object{"updates": []object{
		{"uid": uids[0], "string": a.say("three")}, {"uid": uids[1], "string": a.say("four")}}})
	type item struct {
		UID string
		OK  bool
	}
	var report struct{ Results []item }
	switch {
	case len(result) == 0 || string(result) == "null":
		return "none"
	case json.Unmarshal(result, &[]json.RawMessage{}) == nil:
		return "list"
	case json.Unmarshal(result, &report) == nil && slices.Equal(report.Results, []item{{uids[0], true}, {uids[1], true}}):
		return "results"
	}
	return "count"
}

func batchActions(ctx context.Context, a *asking) string {
	parent, upper := a.home(ctx), a.fresh()
	a.ownUIDs()
	step := func(parent, uid, word string) object {
		return object{"action": "create-block", "location": at(parent, 0), "block": object{"uid": uid, "string": a.say(word)}}
	}
	_, err := a.send(ctx, "batchActions", object{"actions": []object{step(parent, upper, "one"), step(upper, a.fresh(), "two")}})
	if lacks(err) {
		return "missing"
	}
	a.fail(err)
	return which(len(a.children(ctx, upper)) == 1, "in-order", "silent")
}

func largeBody(ctx context.Context, a *asking) string {
	const size = 1 << 20
	_, taken := a.try(ctx, a.query, `[:find ?u :in $ ?text :where [?b :block/uid `+quote(a.page)+`] [?b :block/uid ?u]]`, strings.Repeat("x", size))
	return which(taken, "taken", "refused")
}
