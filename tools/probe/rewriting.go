package main

import (
	"context"
	"strings"
)

func deleteBlockRefs(ctx context.Context, a *asking) string {
	parent, uids := a.siblings(ctx, "one")
	refers := a.make(ctx, parent, a.say("two (("+uids[0]+"))"))
	a.delete(ctx, uids[0])
	switch text := a.text(ctx, refers); {
	case strings.Contains(text, "(("):
		return "kept"
	case text == a.say("two "+a.say("one")):
		return "text"
	case strings.Contains(text, a.say("one")):
		return "other"
	}
	return "removed"
}

func deletePageLinks(ctx context.Context, a *asking) string {
	page := a.newPage(ctx, "linked")
	_, refers := a.siblings(ctx, "one [["+a.title("linked")+"]]")
	a.do(ctx, "data.page.delete", object{"page": object{"uid": page}})
	text := a.text(ctx, refers[0])
	a.tidy(ctx, "linked")
	switch {
	case strings.Contains(text, "[["):
		return "kept"
	case strings.Contains(text, a.title("linked")):
		return "unlinked"
	}
	return "removed"
}

// rename gives a page another title of this run, or merges it into the page that has it.
func (a *asking) rename(ctx context.Context, uid, name string, merge bool) {
	a.list(nil, []string{a.title(name)})
	a.do(ctx, "data.page.update", object{"page": object{"uid": uid, "title": a.title(name)}, "merge-pages": merge})
}

func renameLinks(ctx context.Context, a *asking) string {
	page := a.newPage(ctx, "before")
	_, refers := a.siblings(ctx, "one [["+a.title("before")+"]]")
	a.rename(ctx, page, "after", false)
	text := a.text(ctx, refers[0])
	a.tidy(ctx, "before", "after")
	return which(text == a.say("one [["+a.title("after")+"]]"), "rewritten", "kept")
}

func renameForms(ctx context.Context, a *asking) string {
	page := a.newPage(ctx, "former")
	from, to := a.title("former"), a.title("later")
	around := func(title string) string { return "around [[" + title + "]]" }
	// A deletion of the inner page can take its brackets, or all of it, off the outer title.
	a.list(nil, []string{to, a.title(around(from)), a.title(around(to)), a.title("around " + from), a.title("around " + to), a.title("around "), a.title("around")})
	texts := func(title string) []string {
		return []string{a.say("one [[" + a.title(around(title)) + "]]"), a.say("two #[[" + title + "]]"), title + ":: " + a.say("three"), a.say("four `[[" + from + "]]`")}
	}
	var uids []string
	for _, text := range texts(from) {
		uids = append(uids, a.make(ctx, a.home(ctx), text))
	}
	a.rename(ctx, page, "later", false)
	for i, want := range texts(to) {
		if a.text(ctx, uids[i]) != want {
			a.deviates(a.belief.Otherwise[i]) // they are in this order
		}
	}
	a.tidy(ctx, around(from), around(to), "former", "later")
	return a.several()
}

func mergeOrder(ctx context.Context, a *asking) string {
	from, into := a.newPage(ctx, "merged"), a.newPage(ctx, "whole")
	a.make(ctx, from, a.say("two"))
	a.make(ctx, into, a.say("one"))
	a.rename(ctx, from, "whole", true)
	order := a.order(ctx, into)
	if order == "" { // Roam may keep the other one of the two
		order = a.order(ctx, from)
	}
	a.tidy(ctx, "merged", "whole")
	switch order {
	case "one two":
		return "after"
	case "two one":
		return "before"
	}
	return "other"
}
