package tui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// Field is what a form asks for.
type Field struct {
	Title, About string
	Limit        int // characters
	// Check returns what is wrong with an answer, a sentence; "" for nothing.
	Check func(answer string) string
}

// Nickname asks for the nickname of a graph.
func (w Wording) Nickname(r *manage.Roster, graph localapi.Graph) Field {
	return Field{"Nickname", "What you and your agents call this graph.", configstore.MaxNicknameLength, func(answer string) string {
		return w.Error(r.Config.CheckNewNickname(graph, answer))
	}}
}

// maxDescription bounds what Roam's dialog is given to show, in characters.
const maxDescription = 120

// DescriptionField asks for the words with which Roam's dialog names this program.
func DescriptionField() Field {
	return Field{"Shown in Roam", "How Roam's dialog and its list of tokens name this.", maxDescription, func(answer string) string {
		switch {
		case utf8.RuneCountInString(answer) > maxDescription:
			return fmt.Sprintf("That is longer than %d characters.", maxDescription)
		case strings.TrimSpace(kit.Sanitize(answer)) == "":
			return "Roam needs a few words on who asks."
		}
		return ""
	}}
}

// maxAddress bounds the address of a graph, in characters.
const maxAddress = 256

// GraphNameField asks for the name of a graph that Roam does not list. It may stay empty.
func GraphNameField() Field {
	return Field{"Name or address of the graph", "Such as NAME, or roamresearch.com/#/app/NAME", maxAddress, func(answer string) string {
		if strings.TrimSpace(answer) == "" {
			return ""
		}
		if _, err := localapi.ParseGraphName(answer); err != nil {
			return "A graph's name holds letters, digits, - and _ only; its address is like roamresearch.com/#/app/NAME."
		}
		return ""
	}}
}

// AboutAccess is the heading of a choice of access.
const AboutAccess = "What agents may do in this graph."

// AboutGraphName says which graphs are asked for by name.
func (w Wording) AboutGraphName(r *manage.Roster) string {
	if !r.Roam.Answers() {
		return "Roam's list of graphs is not known now. Type the name of one of yours; for somebody's public graph wait until Roam answers."
	}
	return "Other people's public graphs are not in Roam's list. Type the name of one to ask for read access."
}

// AboutToken says where a token comes from that is entered by hand.
func (w Wording) AboutToken() string {
	if w.Sandbox {
		return "The sandbox makes no tokens by hand, but knows those that it has granted. Paste one here; it is not shown."
	}
	return "Open the graph in Roam and make a token under Settings > Graph > Local API Tokens. Roam shows it once. Paste it here; it is not shown."
}
