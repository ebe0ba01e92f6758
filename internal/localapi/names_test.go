package localapi

import "testing"

func TestParseGraphName(t *testing.T) {
	for text, want := range map[string]Graph{
		"my-notes_1":   {Name: "my-notes_1"},
		"  my-notes  ": {Name: "my-notes"},
		"https://roamresearch.com/#/app/my-notes":                    {Name: "my-notes", Type: Hosted},
		"https://roamresearch.com/#/app/my-notes/page/AbC_1-234":     {Name: "my-notes", Type: Hosted},
		"https://roamresearch.com/#/app/my-notes?version=2":          {Name: "my-notes", Type: Hosted},
		"http://www.RoamResearch.com/#/app/my-notes/":                {Name: "my-notes", Type: Hosted},
		"roamresearch.com/#/app/my-notes":                            {Name: "my-notes", Type: Hosted},
		"roamresearch.com#/offline/my-notes":                         {Name: "my-notes", Type: Offline},
		"https://roamresearch.com/#/offline/my-notes/search?q=(a+b)": {Name: "my-notes", Type: Offline},
		"roam://#/app/my-notes":                                      {Name: "my-notes", Type: Hosted},
		" roam://#/offline/my-notes\n":                               {Name: "my-notes", Type: Offline},
		"#/app/my-notes":                                             {Name: "my-notes", Type: Hosted},

		"":                                       {},
		"my notes":                               {},
		"https://roamresearch.com/#/app/":        {},
		"https://roamresearch.com/#/signin":      {},
		"https://roamresearch.com/#/app/a b":     {},
		"https://example.com/#/app/my-notes":     {},
		"https://roamresearch.com/#/app/k%C3%BC": {},
	} {
		got, err := ParseGraphName(text)
		if got != want || (err == nil) != (want.Name != "") {
			t.Errorf("%q is %+v, %v, want %+v", text, got, err, want)
		}
	}
}

func FuzzParseGraphName(f *testing.F) {
	for _, text := range []string{"notes", "https://roamresearch.com/#/app/notes/page/x", "roam://#/offline/notes", "#/app/a/#/offline/b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		graph, err := ParseGraphName(text)
		if err == nil != ValidGraphName(graph.Name) || err != nil && graph != (Graph{}) {
			t.Errorf("%q is %+v, %v", text, graph, err)
		}
		if again, err := ParseGraphName(graph.Name); graph.Name != "" && (err != nil || again.Name != graph.Name) {
			t.Errorf("the name of %q is %+v, %v", text, again, err)
		}
	})
}
