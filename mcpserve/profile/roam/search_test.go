package roam_test

import (
	"slices"
	"testing"

	"roam-mcp/internal/testutil/profiletest"
)

func TestWhatIsExcludedIsNotAmongTheRecentOnes(t *testing.T) {
	_, c := profiletest.Connect(t, profiletest.Options{Profile: "roam"})
	titles := func(arguments string) (titles []string) {
		var reply struct {
			Suggestions struct {
				Pages []struct{ Title string } `json:"recentlyEditedPages"`
			}
		}
		c.Call("search", arguments).Decode(t, &reply)
		for _, page := range reply.Suggestions.Pages {
			titles = append(titles, page.Title)
		}
		return titles
	}
	want := slices.DeleteFunc(titles(`{"query":""}`), func(title string) bool { return title == "Saturn V" })
	if got := titles(`{"query":"-saturn"}`); !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("got %q, want %q", got, want)
	}
}
