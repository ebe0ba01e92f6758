package wiki_test

import (
	"testing"

	"roam-mcp/internal/testutil/profiletest"
)

// The numbers are those of the examples that the tools were designed by.
func TestReading(t *testing.T) {
	const apollo = "# Apollo\n\n**Path:** Projects/Apollo\n**Tags:** project, in progress\n**Created:** 2024-01-15T00:00:00Z\n**Updated:** 2024-01-15T15:02:00Z\n\n---\n\n" +
		"- Goal: land on the moon, see [[Saturn V]]\n  - Budget is tight, ask [[Ada]]\n- [ ] Write to [[Grace]]\n- See ((sv0000001))<ref>The F-1 engine burns kerosene</ref> for the engine"
	one := func(name, tool, arguments, want string) profiletest.Example {
		return profiletest.Example{Name: name, Calls: []profiletest.Call{{Tool: tool, Arguments: arguments, Prose: want}}}
	}
	refused := func(name, tool, arguments, want string) profiletest.Example {
		return profiletest.Example{Name: name, Calls: []profiletest.Call{{Tool: tool, Arguments: arguments, Prose: want, IsError: true}}}
	}
	profiletest.Run(t, profiletest.Options{Profile: "wiki"},
		one("1 a note is read with what stands above it", "get_note", `{"path":"Projects/Apollo"}`, apollo),
		profiletest.Example{Name: "1 a path in another case, a link and a day name a note", Calls: []profiletest.Call{
			{Tool: "get_note", Arguments: `{"path":"projects/apollo"}`, Prose: apollo},
			{Tool: "get_note", Arguments: `{"path":"[[Projects/Apollo]]"}`, Prose: apollo},
			{Tool: "get_note", Arguments: `{"path":"daily/2024-01-15"}`, Prose: "# January 15th, 2024\n\n**Path:** daily/2024-01-15\n**Tags:** meeting\n<more>\n---\n\n- Review of [[Projects/Apollo]] with [[Grace]] #meeting\n- [[Notes]]\n  - call the bank"},
			{Tool: "get_note", Arguments: `{"path":"January 15th, 2024"}`, Prose: "# January 15th, 2024\n<more>"},
			{Tool: "get_note", Arguments: `{"path":"Projects/Apollo","line":4}`, Prose: "# Apollo<more>\n---\n\n- See ((sv0000001))<ref>The F-1 engine burns kerosene</ref> for the engine"},
		}},
		refused("1 what is not there is an error that names what is near", "get_note", `{"path":"Projects/Apolo"}`, "Error: There is no note at Projects/Apolo.\nThere is: \"Projects/Apollo\", \"Projects/Gemini\"."),
		refused("1 a page that is only linked to is no note", "get_note", `{"path":"Notes"}`, "Error: There is no note at Notes.\nbrowse and search_notes find notes."),
		one("2 the root has folders and notes", "browse", `{}`, "Browsing: /\n\nFolders:\n- Projects/    (2 notes)\n- daily/    (1 note)\n\nNotes at this level:\n"+
			"- **Saturn V** (Saturn V) - Updated 2024-01-14\n- **Ada** (Ada) - Updated 2024-01-13\n- **Grace** (Grace) - Updated 2024-01-12\n- **Glossary** (Glossary) - Updated 2024-01-11\n- **Shopping** (Shopping) - Updated 2024-01-10\n- **Orphan** (Orphan) - Updated 2024-01-09"),
		profiletest.Example{Name: "3 a folder", Calls: []profiletest.Call{
			{Tool: "browse", Arguments: `{"path":"Projects"}`, Prose: "Browsing: Projects/\n\nNotes at this level:\n- **Apollo** (Projects/Apollo) - Updated 2024-01-15\n- **Gemini** (Projects/Gemini) - Updated 2024-01-08"},
			{Tool: "browse", Arguments: `{"path":"projects/"}`, Prose: "Browsing: projects/\n\nNotes at this level:\n- **Apollo** <more>"},
			{Tool: "browse", Arguments: `{"path":"archive"}`, Prose: "Browsing: archive/\n\nNo folders or notes at this path."},
			{
				Before: func(w *profiletest.World) {
					w.AddBlock("apollo001", "later")
					w.Roam("data.page.create", map[string]any{"page": map[string]any{"title": "Projects/Apollo/Crew", "uid": "crew00001"}})
					w.AddBlock("crew00001", "three")
				},
				Tool: "browse", Arguments: `{"path":"Projects/Apollo"}`,
				Prose: "Browsing: Projects/Apollo/\n\nNote at this path:\n- **Apollo** (Projects/Apollo) - Updated 2024-01-16\n\nNotes at this level:\n- **Crew** (Projects/Apollo/Crew) - Updated 2024-01-16",
			},
			{Tool: "browse", Arguments: `{"limit":1}`, Prose: "Browsing: /\n\nFolders:\n- Projects/    (3 notes)\n\n… and 7 more. Narrow with search_notes, or call browse with offset 1."},
			{Tool: "browse", Arguments: `{"offset":7}`, Prose: "Browsing: /\n\nNotes at this level:\n- **Orphan** (Orphan) - Updated 2024-01-09"},
		}},
		one("4 tags", "list_tags", `{}`, "Tags in use:\n\n- computing (1 note)\n- in progress (1 note)\n- meeting (1 note)\n- project (1 note)\n- rocket (1 note)\n- tea (1 note)"),
		profiletest.Example{Name: "5 backlinks", Calls: []profiletest.Call{
			{Tool: "get_backlinks", Arguments: `{"path":"Projects/Apollo"}`, Prose: "Backlinks to Projects/Apollo:\n\n- **January 15th, 2024** (daily/2024-01-15)\n  1 link - line 1\n\n- **Ada** (Ada)\n  1 link - line 1\n\n- **Gemini** (Projects/Gemini)\n  1 link - line 1"},
			{Tool: "get_backlinks", Arguments: `{"path":"Ada"}`, Prose: "Backlinks to Ada:\n\n- **Apollo** (Projects/Apollo)\n  1 link - line 2\n\n- **Saturn V** (Saturn V)\n  1 link - line 3\n\n- **Glossary** (Glossary)\n  1 link - line 3"},
			{Tool: "get_backlinks", Arguments: `{"path":"Saturn V"}`, Prose: "Backlinks to Saturn V:\n\n- **Apollo** (Projects/Apollo)\n  2 links - lines 1, 4\n\n- **Glossary** (Glossary)\n  1 link - line 1"},
			{Tool: "get_backlinks", Arguments: `{"path":"Orphan"}`, Prose: "No notes link to Orphan"},
		}},
		profiletest.Example{Name: "6 backlinks of what is no note", Calls: []profiletest.Call{
			{Tool: "get_backlinks", Arguments: `{"path":"Notes"}`, Prose: "Note Notes does not exist.\n\nHowever, 1 note has links to this path:\n- daily/2024-01-15 (1 link)"},
			{Tool: "get_backlinks", Arguments: `{"path":"project"}`, Prose: "Note project does not exist.\n\nAs a tag: 1 note"},
			{Tool: "get_backlinks", Arguments: `{"path":"no/such/note"}`, Prose: "Note no/such/note does not exist."},
		}},
		profiletest.Example{Name: "17 recent notes", Calls: []profiletest.Call{
			{Tool: "recent_notes", Arguments: `{"limit":2}`, Prose: "Recent notes:\n\n- **Apollo** (Projects/Apollo)\n  Updated: 2024-01-15T15:02:00Z\n  Tags: project, in progress\n\n- **January 15th, 2024** (daily/2024-01-15)\n  Updated: <any>\n  Tags: meeting"},
			{Tool: "recent_notes", Arguments: `{"since":"2024-01-14T00:00:00Z"}`, Prose: "Notes updated since 2024-01-14T00:00:00Z:\n\n- **Apollo** (Projects/Apollo)\n  Updated: 2024-01-15T15:02:00Z\n\n- **January 15th, 2024** (daily/2024-01-15)\n  Updated: <any>"},
			{Tool: "recent_notes", Arguments: `{"since":"2030-01-01T00:00:00Z"}`, Prose: "No notes updated since 2030-01-01T00:00:00Z"},
			{Tool: "recent_notes", Arguments: `{"since":"soon"}`, IsError: true, Prose: "Error: recent_notes: since is \"soon\"; it takes a time such as 2024-01-15T10:30:00Z, 2h, 7d, or a day such as today."},
			{Tool: "recent_notes", Arguments: `{"since":"3d"}`, Prose: "Notes updated since 3d:\n\n- **Apollo** (Projects/Apollo)\n<more>"},
			{Tool: "recent_notes", Arguments: `{"since":"20h"}`, Prose: "No notes updated since 20h"},
			{Tool: "recent_notes", Arguments: `{"since":"22H"}`, Prose: "Notes updated since 22H:\n\n- **Apollo** (Projects/Apollo)\n<more>"},
			{Tool: "recent_notes", Arguments: `{"since":"Yesterday"}`, Prose: "Notes updated since Yesterday:\n\n- **Apollo** (Projects/Apollo)\n<more>"},
			{Tool: "recent_notes", Arguments: `{"since":"January 16th, 2024"}`, Prose: "No notes updated since January 16th, 2024"},
			{Tool: "recent_notes", Arguments: `{"since":"today"}`, Prose: "No notes updated since today"},
		}},
	)
}
