package tui

import (
	"fmt"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/tui/kit"
)

// History says what is kept of what agents write, where, how long, and how to keep
// less. It is empty where there is no journal.
func (w Wording) History(config configstore.Config) []string {
	if w.HistoryFolder == "" {
		return nil
	}
	h := config.History.OrDefault()
	if h.Texts == configstore.Off {
		return []string{"What agents write is recorded in " + w.Path(w.HistoryFolder) + ", without texts: which tool wrote, when, and where."}
	}
	return []string{
		fmt.Sprintf("What agents write is recorded in %s, with the texts that it replaces, for %s.", w.Path(w.HistoryFolder), kit.Plural(h.Days, "day")),
		w.Todo(problem.Say("To keep no texts, of one graph with --graph: %s", problem.Run("history off"))),
	}
}

// RecordedText says where a person sees what is kept of a connected graph.
const RecordedText = "What agents write in it is recorded; its details say what is kept."

// KeptTextsText says whether the history keeps texts of a graph, without a capital.
func KeptTextsText(config configstore.Config, entry configstore.Entry) string {
	switch {
	case config.History.Texts == configstore.Off:
		return "no texts are kept, of any graph"
	case entry.History == configstore.Off:
		return "no texts are kept"
	case entry.History == configstore.On:
		return fmt.Sprintf("texts are kept for %s", kit.Plural(config.History.OrDefault().Days, "day"))
	}
	return "texts are kept if not encrypted"
}

// TextsSet says what comes of keeping texts of a graph, or of keeping none. config is
// that of afterwards.
func (w Wording) TextsSet(config configstore.Config, nickname string, texts configstore.Switch) []string {
	if texts == configstore.Off {
		return []string{
			"No new texts of " + nickname + " are kept. What agents write there is recorded without them.",
			w.Todo(problem.Say("Those that are there stay. To take them away: %s", problem.Run("history purge").With("--graph", nickname, "--texts"))),
		}
	}
	if config.History.Texts == configstore.Off {
		return []string{w.NoTexts()}
	}
	return []string{fmt.Sprintf("Texts of %s are kept for %s.", nickname, kit.Plural(config.History.OrDefault().Days, "day"))}
}

// AllTextsSet is TextsSet for all graphs.
func (w Wording) AllTextsSet(config configstore.Config, texts configstore.Switch) []string {
	switch {
	case texts == configstore.Off:
		return []string{
			"No new texts are kept, of any graph. What agents write is recorded without them.",
			w.Todo(problem.Say("Those that are there stay. To take them away: %s", problem.Run("history purge").With("--all", "--texts"))),
		}
	case config.History.Texts == configstore.Off: // something else is wrong there, which is told
		return []string{w.NoTexts()}
	}
	return []string{fmt.Sprintf("Texts are kept for %s: of graphs that are on, and of those that are not off where Roam says that they are not encrypted.", kit.Plural(config.History.OrDefault().Days, "day"))}
}

// NoTexts says that no texts are kept of any graph, whatever is set for one.
func (w Wording) NoTexts() string {
	return "No texts are kept of any graph: \"history\" in " + w.ConfigPath() + " says so. " + w.Todo(problem.Say("To keep them: %s", problem.Run("history on")))
}

// AskAboutTexts is what a person is asked about a graph of which Roam says that it is
// encrypted, or says nothing: the question, then what comes of it.
func (w Wording) AskAboutTexts(nickname string, said localapi.Encryption) []string {
	const without = ", and the history on this computer is not. Without texts it says which tool wrote when, and where, but not what was there before."
	if said == localapi.Encrypted {
		return []string{"Keep texts of " + nickname + " in the history?", "Roam calls this graph encrypted" + without}
	}
	return []string{"Keep texts of " + nickname + ", so that changes can be undone?", "Roam does not say whether this graph is encrypted" + without}
}

// NoTextsText says why no texts of a graph are kept about which nobody was asked.
func NoTextsText(graph string, said localapi.Encryption) string {
	if said == localapi.Encrypted {
		return "Roam calls " + graph + " encrypted, so no texts of it are kept in the history."
	}
	return "Roam does not say whether " + graph + " is encrypted, so no texts of it are kept in the history."
}

// NoHistory says that no journal is read in this run.
func (w Wording) NoHistory() string {
	return w.Todo(problem.Say("There is no history here. Where there is one, this prints it: %s", problem.Run("history")))
}

// HistoryToCome says what will be listed where nothing is recorded yet.
func (w Wording) HistoryToCome() string {
	return "Each write of an agent will be listed here as it happens: when, who, in which graph, with which tool, and what it changed. So far nothing is kept."
}

// HistoryKept is History, and how what is kept is forgotten.
func (w Wording) HistoryKept(config configstore.Config) []string {
	return append(w.History(config),
		w.Todo(problem.Say("To forget what is kept, with --graph NICKNAME, --before 30d or --all: %s", problem.Run("history purge")).
			Then("With --texts it stays known who wrote when, and with which tool.")))
}
