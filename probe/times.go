package probe

import (
	"context"
	"time"
)

// since waits until the clock shows a later time than anything that was done, and returns
// it in ms.
func (a *asking) since(ctx context.Context) int64 {
	const tick = 3 * time.Millisecond // times in ms differ by less
	timer := time.NewTimer(tick)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		a.failed(ctx.Err())
	}
	return time.Now().UnixMilli()
}

// times returns an attribute of blocks or pages by uid, in ms; those without it are missing.
func (a *asking) times(ctx context.Context, attribute string, uids ...string) map[string]int64 {
	times := map[string]int64{}
	if a.err != nil {
		return times
	}
	rows, err := a.rows(ctx, `[:find ?u ?t :where `+either(`[?b :block/uid %s]`, uids)+` [?b :block/uid ?u] [?b `+attribute+` ?t]]`)
	a.failed(err)
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
	page := a.titled(ctx, "timed")
	a.failed(a.made.add(nil, []string{a.title("renamed")}))
	child := a.fresh()
	before := a.since(ctx)
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
	wrote := map[string]exchange{}
	for i, each := range changes {
		if each.part == "child" && a.uids != honoured {
			changes[i].uid = a.make(ctx, uids[4], a.say("seven"))
		} else {
			a.do(ctx, each.action, each.arg)
		}
		wrote[each.part], uids = a.latest(), append(uids, changes[i].uid)
	}
	times := a.times(ctx, ":edit/time", uids...)
	var parts []string
	for _, each := range changes {
		if times[each.uid] < before {
			a.deviates(&parts, each.part, wrote[each.part])
		}
	}
	a.tidy(ctx, "timed", "renamed")
	return a.belief.Join(parts)
}

func pageEditTime(ctx context.Context, a *asking) string {
	_, uids := a.siblings(ctx, "one")
	before := a.since(ctx)
	a.update(ctx, uids[0], a.say("two"))
	a.decide()
	if a.times(ctx, ":page/edit-time", a.page)[a.page] < before {
		return "missing"
	}
	return "stamped"
}
