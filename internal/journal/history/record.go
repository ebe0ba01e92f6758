package history

import (
	"context"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/graph/fact"
)

// Record is a call with all that is kept of it.
type Record struct {
	Call    Call
	Changes []ChangeRecord
	Pages   map[string]string // titles of touched pages by uid, as far as they are kept
}

// ChangeRecord is a change with all that is kept of it.
type ChangeRecord struct {
	Change
	Action                 string
	Class                  fact.Class
	State                  State
	Sent, Done             time.Time
	Code, Evidence         string
	Before, After, Request []byte // JSON; nil: not kept
	BeforeBy, AfterBy      By
	Lacks                  []string
	Touches                []fact.Touch
	Undoes                 int64    // Change.ID of the change that it takes back; 0: of none
	UndoneBy               int64    // number of the call that has taken it back, as far as possible; 0: none
	UndoneLeft             []string // what UndoneBy has left, in words
}

// IsUndone reports whether a change is taken back as far as possible, with the pages that it made.
func (c ChangeRecord) IsUndone() bool {
	return c.UndoneBy != 0 && !slices.Contains(c.UndoneLeft, PagesLeft)
}

// Record returns a call by its number, and whether there is one.
func (j *reader) Record(ctx context.Context, call int64) (record Record, ok bool, err error) {
	_, err = j.read(ctx, func(conn *sqlite.Conn) error {
		record, ok, err = readRecord(conn, call)
		return err
	})
	if err != nil || !ok {
		return Record{}, false, err
	}
	record.Call.Abandoned = record.Call.State == CallOpen && !j.living()(record.Call.Server)
	return record, true, nil
}

func readRecord(conn *sqlite.Conn, id int64) (record Record, ok bool, err error) {
	if record.Call, ok, err = readCall(conn, id); err != nil || !ok {
		return record, false, err
	}
	args, err := number(conn, "SELECT ifnull(args, 0) FROM call WHERE id = ?", id)
	if err == nil {
		record.Call.Args, err = getBody(conn, args)
	}
	if err != nil {
		return record, false, err
	}
	undoes := "undoes"
	if there, err := hasUndoes(conn); err != nil {
		return record, false, err
	} else if !there {
		undoes = "0"
	}
	err = rows(conn, `SELECT id, seq, action, class, state, sent, done, code, evidence, before_by, after_by, lacks,
		ifnull(request, 0), ifnull(before, 0), ifnull(after, 0), `+undoes+` FROM change WHERE call = ? ORDER BY seq`, []any{id}, func(row *sqlite.Stmt) error {
		change := ChangeRecord{
			Change: Change{Call: id, ID: row.ColumnInt64(0), Seq: row.ColumnInt(1)},
			Action: row.ColumnText(2), Class: fact.Class(row.ColumnText(3)), State: State(row.ColumnText(4)),
			Sent: timeOf(row, 5), Done: timeOf(row, 6), Code: row.ColumnText(7), Evidence: row.ColumnText(8),
			BeforeBy: By(row.ColumnText(9)), AfterBy: By(row.ColumnText(10)),
		}
		change.Lacks, change.Undoes = parseLacks(row.ColumnText(11)), row.ColumnInt64(15)
		for i, text := range []*[]byte{&change.Request, &change.Before, &change.After} {
			if *text, err = getBody(conn, row.ColumnInt64(12+i)); err != nil {
				return err
			}
		}
		change.Touches, err = touchesOf(conn, change.ID)
		record.Changes = append(record.Changes, change)
		return err
	})
	for i := range record.Changes {
		if err == nil && record.Call.UndoneBy != 0 {
			var taken takenBack
			taken, err = takenBackBy(conn, record.Changes[i].ID)
			record.Changes[i].UndoneBy, record.Changes[i].UndoneLeft = taken.call, taken.left
		}
	}
	if err == nil {
		record.Pages, err = titlesOf(conn, record)
	}
	return record, err == nil, err
}

// titlesOf returns the titles that the pages of a call had then, by uid. A page that was
// renamed has several, each with the newest change that saw it: the one of then was seen by
// the call's newest change or is the next that was seen after it; if there is none, it is
// the one that was seen last.
func titlesOf(conn *sqlite.Conn, record Record) (map[string]string, error) {
	newest := int64(0)
	for _, change := range record.Changes {
		newest = max(newest, change.ID)
	}
	titles, seen := map[string]string{}, map[string]int64{}
	err := rows(conn, `SELECT DISTINCT page.uid, page.title, page.seen FROM change CROSS JOIN touch ON touch.change = change.id
			CROSS JOIN page ON page.graph = touch.graph AND page.uid IN (touch.uid, touch.page)
		WHERE change.call = ?1 ORDER BY page.seen`, []any{record.Call.ID}, func(row *sqlite.Stmt) error {
		if uid := row.ColumnText(0); seen[uid] < newest {
			titles[uid], seen[uid] = row.ColumnText(1), row.ColumnInt64(2)
		}
		return nil
	})
	return titles, err
}
