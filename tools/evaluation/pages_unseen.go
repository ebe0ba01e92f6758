package evaluation

import (
	"fmt"
	"strings"
	"time"
)

const (
	batches   = 420
	lastBatch = "Batch 420: 66 % water, 24 degrees, rose in 80 minutes"
)

// batch is an entry of the dough log.
func batch(n int) string {
	if n == batches {
		return lastBatch
	}
	return fmt.Sprintf("Batch %d: %d %% water, %d degrees, rose in %d minutes", n, 66+n*7%9, 21+n*5%6, 70+n*11%29)
}

// doughLog is a page that no reply of the profile graph shows whole.
func doughLog(time.Time) string {
	page := exported{Title: "Dough log", UID: "dough-log"}
	for n := range batches {
		page.Children = append(page.Children, exported{String: batch(n + 1), UID: fmt.Sprintf("dough-%04d", n+1)})
	}
	return export(page)
}

// batchesBut returns the dough log as it should be at the end: with some of its lines
// replaced, and some behind it.
func batchesBut(changed map[int]string, added ...string) string {
	var lines strings.Builder
	for n := range batches {
		line := batch(n + 1)
		if other, ok := changed[n+1]; ok {
			line = other
		}
		lines.WriteString("- " + line + "\n")
	}
	for _, each := range added {
		lines.WriteString("- " + each + "\n")
	}
	return lines.String()
}

// fridayOrders is a page that a person and an agent change at once.
func fridayOrders(time.Time) string {
	return export(exported{Title: "Friday orders", UID: "orders-pg", Children: []exported{
		{String: "Tags:: #orders #weekly", UID: "orders-tg"},
		{String: "Hall: 40 loaves, 12 rye", UID: "orders-hl"},
		{String: "Boats", UID: "orders-bo", Children: []exported{{String: "Six flat loaves", UID: "orders-fl"}}},
		{String: "{{[[TODO]]}} Order caraway", UID: "orders-ca"},
		{String: "{{[[TODO]]}} Borrow crates", UID: "orders-cr"},
		{String: "The old van: ask whether it still runs", UID: "orders-vn"},
	}})
}

// The lines of the page Friday orders.
const (
	ordersHall  = "Hall: 40 loaves, 12 rye"
	ordersBoats = "- Boats\n  - Six flat loaves\n"
	ordersTags  = "- Tags:: #orders #weekly\n"
	ordersTasks = "- {{[[TODO]]}} Order caraway\n- {{[[TODO]]}} Borrow crates\n"
	ordersVan   = "- The old van: ask whether it still runs\n"
)
