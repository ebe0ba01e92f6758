package install

import (
	"time"

	"roam-mcp/internal/problem"
)

// Listed is a client as scripts read it. Of entries that are not roam-mcp's there is the
// name alone, since their arguments may hold secrets.
type Listed struct {
	ID        string        `json:"id"`
	Name      string        `json:"name"`
	State     string        `json:"state"` // as clients.State.Word has it
	File      string        `json:"file,omitempty"`
	Gives     string        `json:"gives,omitempty"` // in words, of all entries
	Entries   []ListedEntry `json:"entries"`
	Official  []string      `json:"officialServers,omitempty"` // names of the entries of Roam's official server
	Proven    time.Time     `json:"proven,omitzero"`
	LastCall  time.Time     `json:"lastCall,omitzero"`
	Error     string        `json:"error,omitempty"`
	ErrorCode problem.Code  `json:"errorCode,omitempty"`
}

// ListedEntry is an entry of a Listed client.
type ListedEntry struct {
	Name     string   `json:"name"`
	Ours     bool     `json:"ours"` // it starts roam-mcp
	Command  string   `json:"command,omitempty"`
	Args     []string `json:"args,omitempty"`
	URL      string   `json:"url,omitempty"`
	Also     []string `json:"also,omitempty"` // what it has beside what roam-mcp writes
	Gone     bool     `json:"programGone,omitempty"`
	Disabled bool     `json:"disabled,omitempty"`
}

// List returns clients as scripts read them.
func List(found []Status) []Listed {
	all := []Listed{}
	for _, status := range found {
		listed := Listed{
			ID: status.Client.ID, Name: status.Client.Name, State: status.State.Word(), File: status.File, Gives: status.Gives,
			Entries: []ListedEntry{}, Official: status.Beside, Proven: status.Proven, LastCall: status.Called,
		}
		for _, entry := range status.Entries {
			one := ListedEntry{Name: entry.Name, Ours: entry.Ours, Disabled: entry.Disabled}
			if entry.Ours {
				one.Command, one.Args, one.URL, one.Gone = entry.Command, entry.Args, entry.URL, entry.Gone
				for _, extra := range entry.Extras {
					one.Also = append(one.Also, extra.String())
				}
			}
			listed.Entries = append(listed.Entries, one)
		}
		if status.Err != nil {
			known := problem.FromError(status.Err)
			listed.Error, listed.ErrorCode = known.Message, known.Code
		}
		all = append(all, listed)
	}
	return all
}
