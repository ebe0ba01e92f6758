package probe

import (
	"context"
	"strings"
)

func deleteBlockRefs(ctx context.Context, a *asking) (string, error) {
	parent, uids, err := a.siblings(ctx, "one")
	if err != nil {
		return "", err
	}
	refers, err := a.create(ctx, parent, a.text("two (("+uids[0]+"))"))
	if err != nil {
		return "", err
	}
	if _, err := a.write(ctx, "data.block.delete", object{"block": object{"uid": uids[0]}}); err != nil {
		return "", err
	}
	text, err := a.textOf(ctx, refers)
	switch {
	case strings.Contains(text, "(("):
		return "kept", err
	case text == a.text("two "+a.text("one")):
		return "text", err
	case strings.Contains(text, a.text("one")):
		return "other", err
	}
	return "removed", err
}

func deletePageLinks(ctx context.Context, a *asking) (string, error) {
	page, err := a.newPage(ctx, "linked")
	if err != nil {
		return "", err
	}
	_, refers, err := a.siblings(ctx, "one [["+a.title("linked")+"]]")
	if err != nil {
		return "", err
	}
	if _, err := a.write(ctx, "data.page.delete", object{"page": object{"uid": page}}); err != nil {
		return "", err
	}
	text, err := a.textOf(ctx, refers[0])
	if err != nil {
		return "", err
	}
	a.decide()
	found := "removed"
	switch {
	case strings.Contains(text, "[["):
		found = "kept"
	case strings.Contains(text, a.title("linked")):
		found = "unlinked"
	}
	return found, a.tidy(ctx, "linked")
}

// rename gives a page another title of this run.
func (a *asking) rename(ctx context.Context, uid, name string, merge bool) error {
	if err := a.made.add(nil, []string{a.title(name)}); err != nil {
		return err
	}
	arg := object{"page": object{"uid": uid, "title": a.title(name)}}
	if merge {
		arg["merge-pages"] = true
	}
	_, err := a.write(ctx, "data.page.update", arg)
	return err
}

func renameLinks(ctx context.Context, a *asking) (string, error) {
	page, err := a.newPage(ctx, "before")
	if err != nil {
		return "", err
	}
	_, refers, err := a.siblings(ctx, "one [["+a.title("before")+"]]")
	if err == nil {
		err = a.rename(ctx, page, "after", false)
	}
	if err != nil {
		return "", err
	}
	text, err := a.textOf(ctx, refers[0])
	if err != nil {
		return "", err
	}
	a.decide()
	if text == a.text("one [["+a.title("after")+"]]") {
		return "rewritten", a.tidy(ctx, "before", "after")
	}
	return "kept", a.tidy(ctx, "before", "after")
}

func renameForms(ctx context.Context, a *asking) (string, error) {
	page, err := a.newPage(ctx, "former")
	if err != nil {
		return "", err
	}
	from, to := a.title("former"), a.title("later")
	outer := func(title string) string { return a.title("around [[" + title + "]]") }
	if err := a.made.add(nil, []string{to, outer(from), outer(to)}); err != nil {
		return "", err
	}
	forms := func(title string) []struct{ part, text string } {
		return []struct{ part, text string }{
			{"nested", a.text("one [[" + outer(title) + "]]")},
			{"tags", a.text("two #[[" + title + "]]")},
			{"attributes", title + ":: three"},
			{"code", a.text("four `[[" + from + "]]`")},
		}
	}
	parent, err := a.home(ctx)
	if err != nil {
		return "", err
	}
	var uids []string
	for _, each := range forms(from) {
		uid, err := a.create(ctx, parent, each.text)
		if err != nil {
			return "", err
		}
		uids = append(uids, uid)
	}
	if err := a.rename(ctx, page, "later", false); err != nil {
		return "", err
	}
	var parts []string
	for i, each := range forms(to) {
		text, err := a.textOf(ctx, uids[i])
		if err != nil {
			return "", err
		}
		if text != each.text {
			a.deviates(&parts, each.part)
		}
	}
	if err := a.tidy(ctx, "around [["+from+"]]", "around [["+to+"]]", "former", "later"); err != nil {
		return "", err
	}
	return a.several(parts)
}

func mergeOrder(ctx context.Context, a *asking) (string, error) {
	from, err := a.newPage(ctx, "merged")
	if err == nil {
		_, err = a.create(ctx, from, a.text("two"))
	}
	if err != nil {
		return "", err
	}
	into, err := a.newPage(ctx, "whole")
	if err == nil {
		_, err = a.create(ctx, into, a.text("one"))
	}
	if err == nil {
		err = a.rename(ctx, from, "whole", true)
	}
	if err != nil {
		return "", err
	}
	pages, err := a.pagesTitled(ctx, a.title("whole"))
	if err != nil || len(pages) == 0 {
		return "", errUnclear
	}
	order, err := a.orderOf(ctx, pages[0].uid)
	if err != nil {
		return "", err
	}
	a.decide()
	found := "other"
	switch order {
	case "one two":
		found = "after"
	case "two one":
		found = "before"
	}
	return found, a.tidy(ctx, "merged", "whole")
}
