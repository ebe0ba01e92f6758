package install

import (
	"roam-mcp/internal/clients"
	"roam-mcp/internal/problem"
)

// Codes of this package.
const (
	// CodeUnknownClient reports a name that is no client's.
	CodeUnknownClient problem.Code = "UNKNOWN_CLIENT"
	// CodeNotOpened reports that a link could not be opened.
	CodeNotOpened problem.Code = "LINK_NOT_OPENED"
	// CodeOtherProgram reports that an entry starts something else than this program alone,
	// which is done only after a person has agreed.
	CodeOtherProgram problem.Code = "PROGRAM_NOT_STARTED"
	// CodeNotInClient reports that a client has no entry of roam-mcp.
	CodeNotInClient problem.Code = "NOT_IN_CLIENT"
)

func unknownClient(name string) error {
	hint := problem.Say("%s lists them.", problem.Run("clients"))
	if near := clients.Suggest(name); near != "" {
		hint = problem.Say("Did you mean %s?", near).Append(hint)
	}
	return &problem.Error{Code: CodeUnknownClient, Message: "No client of that name is known.", Hint: hint}
}

// doubted is the error of a launch that is not started, since nobody has agreed to it.
func (l Launch) doubted() error {
	hint := problem.Say("In a terminal you are asked whether to start it. Or have the entry written anew: %s", problem.Run("install", l.Client.ID))
	if l.Never {
		hint = problem.Say("What lies in a project is never started. Have the entry start this program: %s", problem.Run("install", l.Client.ID).With("--project"))
	}
	return &problem.Error{Code: CodeOtherProgram, Message: "It was not started. " + l.Doubt, Hint: hint}
}

func notInClient(client clients.Client) error {
	return &problem.Error{
		Code: CodeNotInClient, Message: client.Name + " has no entry of roam-mcp.",
		Hint: problem.Say("%s makes one.", problem.Run("install", client.ID)),
	}
}
