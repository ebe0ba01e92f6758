package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// IDs of the checks of the configuration.
const (
	idConfig     = "config"
	idMode       = "config-mode"
	idEntries    = "entries"
	idDuplicates = "duplicates"
	idSameName   = "same-name"
)

// config reads the configuration.
func (p Ports) config(ctx context.Context, facts *Facts) []Finding {
	facts.Config, facts.ConfigErr = p.Graphs.Load(ctx)
	path := p.path(p.Graphs.Path())
	if err := facts.ConfigErr; err != nil {
		told := problem.FromError(err)
		f := Finding{Level: Failed, Found: told.Message, Why: "No graph can be used, and none is connected or changed, before it can be read.", Todo: told.Hint, Details: detailsOf(told)}
		if told.Code != configstore.CodeConfigTooNew {
			f.Fix = &Fix{Label: "open it in an editor", Go: Target{Place: EditConfig}}
		}
		return []Finding{f}
	}
	config := facts.Config
	disabled := len(config.Entries) - len(config.Enabled())
	switch {
	case len(config.Entries)+len(config.WithoutToken) == 0:
		found := path + " connects no graph yet"
		if !config.Exists {
			found = path + " is not there yet"
		}
		return []Finding{{Level: Note, Found: found, Todo: problem.Say("Connect a graph: %s", problem.Run("")), Fix: &Fix{Label: "connect a graph", Go: Target{Place: Connect}}}}
	case disabled > 0 && disabled == len(config.Entries):
		first := config.Entries[0].Nickname
		return []Finding{{Level: Warning, Found: plural(disabled, "graph") + ", all disabled", Why: "Agents see no graph at all.",
			Todo: problem.Say("Enable one: %s", problem.Run("enable", first)), Fix: &Fix{Label: "enable " + first, Go: Target{Enable, first}}}}
	}
	found := plural(len(config.Entries), "graph")
	if disabled > 0 {
		found += fmt.Sprintf(", %d disabled", disabled)
	}
	return []Finding{{Level: OK, Found: found}}
}

// mode says who can read the configuration, also where it does not parse.
func (p Ports) mode(_ context.Context, facts *Facts) []Finding {
	flaw, open := facts.Config.ModeProblem()
	if !open {
		found := "yours alone to read"
		if !facts.Config.Exists {
			found = "will be yours alone to read"
		}
		return []Finding{{Level: OK, Found: found}}
	}
	return []Finding{{Level: Warning, Found: flaw.Message, Why: "Whoever has a token can use the graph.", Todo: flaw.Hint, Fix: &Fix{
		Label: "close it to others", Done: p.path(p.Graphs.Path()) + " is now yours alone to read.", Safe: true, Do: p.Graphs.FixMode,
	}}}
}

// entries says which entries can't be used as they stand.
func (p Ports) entries(ctx context.Context, facts *Facts) []Finding {
	unusable := p.problems(map[problem.Code]Level{configstore.CodeEntryInvalid: Failed, configstore.CodeNoToken: Warning, configstore.CodeHistoryInvalid: Warning})
	return append(unusable(ctx, facts), nicknames(facts.Config)...)
}

// nicknames says which nicknames of older configurations would not be allowed today.
func nicknames(config configstore.Config) (found []Finding) {
	for _, entry := range config.Entries {
		if configstore.Plain(entry.Nickname) {
			continue
		}
		better := config.UniqueNickname(localapi.DefaultNickname(entry.Name))
		found = append(found, Finding{Level: Note, Subject: "Nickname of " + entry.Name, Found: "it works, and shells take something in it for something else, or it is not seen",
			Todo: problem.Say("Give the graph another one: %s", problem.Run("rename", entry.Nickname, better))})
	}
	return found
}

// problems returns a check for the problems of the configuration that have one of the codes.
func (p Ports) problems(levels map[problem.Code]Level) func(context.Context, *Facts) []Finding {
	return func(_ context.Context, facts *Facts) (found []Finding) {
		for _, each := range facts.Config.Problems {
			level, ok := levels[each.Code]
			if !ok {
				continue
			}
			f := Finding{Level: level, Found: each.Message, Why: "Agents can't use that graph.", Todo: each.Hint, Fix: &Fix{Label: "open it in an editor", Go: Target{Place: EditConfig}}}
			if each.Line != 0 {
				f.Details = []problem.Detail{{Name: "code", Value: string(each.Code)}, {Name: "line", Value: each.Line}}
			}
			switch each.Code {
			case configstore.CodeNoToken:
				f.Fix = &Fix{Label: "connect it", Go: Target{Connect, each.Graph}}
			case configstore.CodeHistoryInvalid:
				f.Why = "What is recorded may not be what was meant."
			case configstore.CodeGraphConfigured:
				f.Why = "A change of the entry that is ignored has no effect."
			}
			found = append(found, f)
		}
		return found
	}
}

// ID of the check of tokens that were kept in files of their own.
const idRescued = "rescued"

// rescued says whether a granted token waits to be taken over.
func (p Ports) rescued(context.Context, *Facts) []Finding {
	files, err := p.rescuedFiles()
	if err != nil {
		return []Finding{{Level: Warning, Found: fmt.Sprintf("%s can't be looked into: %v", p.path(p.RescueFolder), err), Why: "A granted token may wait there.", Todo: problem.Say("Look what is in its place.")}}
	}
	var found []Finding
	for _, file := range files {
		found = append(found, Finding{Level: Warning, Found: "a granted token waits in " + p.path(file), Why: "It could not be saved when Roam granted it, and Roam shows it only once.",
			Todo: problem.Say("Take it over: %s", problem.Run("import", file)), Fix: &Fix{Label: "take it over", Done: "The token is in the configuration.", Do: func(ctx context.Context) error { return p.takeOver(ctx, file) }, Go: Target{Import, file}}})
	}
	return found
}

// takeOver imports a file of a rescued token.
func (p Ports) takeOver(ctx context.Context, file string) error {
	if p.ImportRescued == nil {
		return errors.New("this program can't take it over")
	}
	return p.ImportRescued(ctx, file)
}

// levelWords returns an access level in words, for a comparison.
func levelWords(level localapi.AccessLevel) string {
	if level == "" {
		return "no level"
	}
	return strings.TrimSpace(level.Words())
}
