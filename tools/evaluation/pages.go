package evaluation

import (
	"encoding/json"
	"fmt"
	"time"

	"roam-mcp/internal/graph/outline"
)

// exported is a page or a block of a Roam JSON export.
type exported struct {
	Title    string     `json:"title,omitempty"`
	String   string     `json:"string,omitempty"`
	UID      string     `json:"uid"`
	Heading  int        `json:"heading,omitempty"`
	View     string     `json:":block/view-type,omitempty"`
	Sidebar  *int       `json:":page/sidebar,omitempty"`
	Children []exported `json:"children,omitempty"`
}

func export(pages ...exported) string {
	text, err := json.Marshal(pages)
	if err != nil {
		panic(err) // texts and numbers only
	}
	return string(text)
}

const (
	logEntries = 2000
	lastEntry  = "Anchor down in the lee of Sandry Head"
)

// shipsLog is a page of 2,000 entries at the top level, of which none can be found by the
// words of the question.
func shipsLog(time.Time) string {
	winds := []string{"light air", "fresh breeze", "wind veering", "dead calm"}
	doings := []string{"Jonas mended the jib", "baked flat bread", "pumped her dry", "Pim polished brass", "eleven fathoms", "a brig passed"}
	page := exported{Title: "Ship's log", UID: "ships-log"}
	for n := range logEntries {
		text := winds[n*7%len(winds)] + ", " + doings[n*5%len(doings)]
		switch n {
		case 1234:
			text = "Pim slipped off the bowsprit; fished out, soaked"
		case logEntries - 1:
			text = lastEntry
		}
		page.Children = append(page.Children, exported{String: text, UID: fmt.Sprintf("log-%05d", n+1)})
	}
	return export(page)
}

// headedToday is today's note with a heading and entries.
func headedToday(today time.Time) string {
	return export(exported{Title: outline.DailyTitle(today), UID: outline.DailyUID(today), Children: []exported{
		{String: "Rain until noon", UID: "today-rain"},
		{String: "Bakery", UID: "today-bake", Heading: 2, Children: []exported{{String: "Oven lit at four", UID: "today-oven"}}},
		{String: "Home", UID: "today-home", Heading: 2},
	}})
}

func packingList(time.Time) string {
	return export(exported{Title: "Winter stock", UID: "stock-page", Children: []exported{
		{String: "Ten sacks of wheat flower in the loft", UID: "stock-1"},
		{String: "Rye flower: order before the frost, see [[Owen Pryce]]", UID: "stock-2"},
		{String: "Salt, 25 kg", UID: "stock-3"},
		{String: "Spelt flower only for trials", UID: "stock-4"},
		{String: "Keep flower off the floor", UID: "stock-5"},
	}})
}

func withShortcuts(time.Time) string {
	first, second := 0, 1
	return export(
		exported{Title: "Accounts", UID: "acct-page", Sidebar: &first, Children: []exported{{String: "Ruth has them", UID: "acct-ruth"}}},
		exported{Title: "Suppliers", UID: "supp-page", Sidebar: &second, Children: []exported{{String: "Coldwell mill", UID: "supp-mill"}}},
	)
}

func commentedPage(time.Time) string {
	return export(exported{Title: outline.CommentsPage, UID: "comments-page", Children: []exported{
		{String: "((star-smel))", UID: "cmt-smel", View: ":comment", Children: []exported{{String: "Amara: then feed it at once, and once more at night", UID: "cmt-said"}}},
	}})
}
