package main

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
	rows := a.rows(ctx, "?u ?t", either(`[?b :block/uid %s]`, uids)+` [?b :block/uid ?u] [?b `+attribute+` ?t]`)
	for _, row := range rows {
		times[unquoted(row[0])] = int64(number(row[1]))
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
	before := since()
	a.update(ctx, uids[0], a.say("six"))
	a.do(ctx, "data.block.update", part(uids[1], "heading", 2))
	a.do(ctx, "data.block.update", part(uids[2], "open", false))
	a.do(ctx, "data.block.move", object{"location": at(uids[4], 0), "block": object{"uid": uids[3]}})
	child := a.make(ctx, uids[4], a.say("seven"))
	a.rename(ctx, page, "renamed", false)
	changed := append(uids[:4], child, page) // in the order of the findings
	times := a.times(ctx, ":edit/time", changed...)
	for i, part := range a.belief.Otherwise {
		if times[changed[i]] < before {
			a.deviates(part)
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
