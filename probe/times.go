package probe

import (
	"context"
	"time"
)

// since returns the time in ms, which is later than all that was done.
func since() int64 {
	time.Sleep(3 * time.Millisecond) // times in ms differ by less
	return time.Now().UnixMilli()
}

// times returns an attribute of blocks or pages by uid, in ms; those without it are missing.
func (a *asking) times(ctx context.Context, attribute string, uids ...string) map[string]int64 {
	times := map[string]int64{}
	rows := a.rows(ctx, `[:find ?u ?t :where `+either(`[?b :block/uid %s]`, uids)+` [?b :block/uid ?u] [?b `+attribute+` ?t]]`)
	for _, row := range rows {
		if len(row) == 2 {
			times[unquoted(row[0])] = int64(number(row[1]))
		}
	}
	return times
}

func createTime(ctx context.Context, a *asking) string {
	parent, before := a.home(ctx), time.Now().UnixMilli()
	uid := a.make(ctx, parent, a.say("one"))
	switch at, there := a.times(ctx, ":create/time", uid)[uid]; {
	case !there:
		return "missing"
	case at < before:
		return "behind"
	}
	return "kept"
}

func editTime(ctx context.Context, a *asking) string {
	_, uids := a.siblings(ctx, "one", "two", "three", "four", "five")
	page := a.newPage(ctx, "timed")
	a.fail(a.made.add(nil, []string{a.title("renamed")}))
	child := a.fresh()
	before := since()
	changes := []struct {
		part, uid, action string
		arg               object
	}{
		{"text", uids[0], "data.block.update", part(uids[0], "string", a.say("six"))},
		{"heading", uids[1], "data.block.update", part(uids[1], "heading", 2)},
		{"folding", uids[2], "data.block.update", part(uids[2], "open", false)},
		{"move", uids[3], "data.block.move", object{"location": at(uids[4], 0), "block": object{"uid": uids[3]}}},
		{"child", child, "data.block.create", object{"location": at(uids[4], 0), "block": object{"uid": child, "string": a.say("seven")}}},
		{"rename", page, "data.page.update", object{"page": object{"uid": page, "title": a.title("renamed")}}},
	}
	for i, each := range changes {
		if each.part == "child" && !a.honours {
			changes[i].uid = a.make(ctx, uids[4], a.say("seven"))
		} else {
			a.do(ctx, each.action, each.arg)
		}
		uids = append(uids, changes[i].uid)
	}
	times := a.times(ctx, ":edit/time", uids...)
	for _, each := range changes {
		if times[each.uid] < before {
			a.deviates(each.part)
		}
	}
	a.tidy(ctx, "timed", "renamed")
	return a.several()
}

func pageEditTime(ctx context.Context, a *asking) string {
	_, uids := a.siblings(ctx, "one")
	before := since()
	a.update(ctx, uids[0], a.say("two"))
	return which(a.times(ctx, ":page/edit-time", a.page)[a.page] < before, "missing", "stamped")
}
