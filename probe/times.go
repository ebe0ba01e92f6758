package probe

import (
	"context"
	"time"
)

// aTick is longer than the finest difference that two times in ms can have.
const aTick = 3 * time.Millisecond

// tick waits until the clock shows a later time than anything that was done, and returns it
// in ms.
func tick(ctx context.Context) (int64, error) {
	timer := time.NewTimer(aTick)
	defer timer.Stop()
	select {
	case <-timer.C:
		return time.Now().UnixMilli(), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func createTime(ctx context.Context, a *asking) (string, error) {
	parent, err := a.home(ctx)
	if err != nil {
		return "", err
	}
	before := time.Now().UnixMilli()
	uid, err := a.create(ctx, parent, a.text("one"))
	if err != nil {
		return "", err
	}
	times, err := a.times(ctx, ":create/time", uid)
	if err != nil {
		return "", err
	}
	switch at, there := times[uid]; {
	case !there:
		return "missing", nil
	case at < before:
		return "behind", nil
	}
	return "kept", nil
}

// editing is one change that stamps the time of its edit.
type editing struct {
	part, uid, action string
	arg               object
}

func editTime(ctx context.Context, a *asking) (string, error) {
	_, uids, err := a.siblings(ctx, "one", "two", "three", "four", "five")
	if err != nil {
		return "", err
	}
	page, err := a.newPage(ctx, "timed")
	if err != nil {
		return "", err
	}
	if err := a.made.add(nil, []string{a.title("renamed")}); err != nil {
		return "", err
	}
	update := func(uid, key string, value any) object { return object{"block": object{"uid": uid, key: value}} }
	since, err := tick(ctx)
	if err != nil {
		return "", err
	}
	changes := []editing{
		{"text", uids[0], "data.block.update", update(uids[0], "string", a.text("six"))},
		{"heading", uids[1], "data.block.update", update(uids[1], "heading", 2)},
		{"folding", uids[2], "data.block.update", update(uids[2], "open", false)},
		{"move", uids[3], "data.block.move", object{"location": object{"parent-uid": uids[4], "order": 0}, "block": object{"uid": uids[3]}}},
		{"rename", page, "data.page.update", object{"page": object{"uid": page, "title": a.title("renamed")}}},
	}
	wrote := map[string]exchange{}
	for _, each := range changes {
		if _, err := a.write(ctx, each.action, each.arg); err != nil {
			return "", err
		}
		wrote[each.part] = a.latest()
	}
	child, err := a.create(ctx, uids[4], a.text("seven"))
	if err != nil {
		return "", err
	}
	wrote["child"] = a.latest()
	changes = append(changes, editing{part: "child", uid: child})
	times, err := a.times(ctx, ":edit/time", append(uids, page, child)...)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, each := range changes {
		if times[each.uid] < since {
			if last := wrote[each.part]; a.decisive == nil {
				a.decisive = &last
			}
			parts = append(parts, each.part)
		}
	}
	if err := a.tidy(ctx, "timed", "renamed"); err != nil {
		return "", err
	}
	return a.several(parts)
}

func pageEditTime(ctx context.Context, a *asking) (string, error) {
	_, uids, err := a.siblings(ctx, "one")
	if err != nil {
		return "", err
	}
	since, err := tick(ctx)
	if err != nil {
		return "", err
	}
	if _, err := a.write(ctx, "data.block.update", object{"block": object{"uid": uids[0], "string": a.text("two")}}); err != nil {
		return "", err
	}
	a.decide()
	times, err := a.times(ctx, ":page/edit-time", a.page)
	if err == nil && times[a.page] < since {
		return "missing", nil
	}
	return "stamped", err
}
