package tui

import (
	"cmp"
	"fmt"
	"strings"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/problem"
	"roam-mcp/tui/kit"
)

// PastedText returns what a person pastes or opens.
func PastedText(plan clients.Plan) string {
	if plan.Removes {
		return plan.Text + "\n"
	}
	var out strings.Builder
	if plan.Link != "" {
		fmt.Fprintf(&out, "For %s, open this link:\n%s\n", plan.Client.Name, plan.Link)
	}
	if plan.Text == "" {
		return out.String()
	}
	where := "run this"
	if plan.Where != "" {
		where = "this goes into " + plan.Where
	}
	if plan.Link != "" {
		fmt.Fprintf(&out, "Or %s:\n", where)
	} else {
		fmt.Fprintf(&out, "For %s, %s:\n", plan.Client.Name, where)
	}
	fmt.Fprintf(&out, "%s\n", strings.TrimRight(plan.Text, "\n"))
	return out.String()
}

// PlannedText returns what a plan would change.
func PlannedText(installer *install.Installer, shell problem.Shell, plan clients.Plan) string {
	var out strings.Builder
	if plan.Note != "" && plan.Note != installer.Note {
		fmt.Fprintln(&out, kit.Sanitize(plan.Note))
	}
	switch {
	case plan.Unchanged:
		fmt.Fprintf(&out, "%s: nothing to do.\n", plan.Client.Name)
	case plan.Way == clients.ByCommand:
		fmt.Fprintf(&out, "%s: its own command does it:\n%s\n", plan.Client.Name, shell.Join(plan.Command...))
	case plan.Way == clients.ByFile:
		what := "changes"
		if plan.New {
			what = "is made"
		} else if plan.Gone {
			what = "goes"
		}
		fmt.Fprintf(&out, "%s: %s %s.\n%s", plan.Client.Name, installer.Short(plan.File), what, plan.Diff())
		if plan.Backup != "" {
			fmt.Fprintf(&out, "A backup is left in %s.\n", installer.Short(plan.Backup))
		}
	default:
		out.WriteString(PastedText(plan))
	}
	return out.String()
}

// DoneText says what became of a plan that was carried out.
func DoneText(installer *install.Installer, plan clients.Plan) string {
	what := fmt.Sprintf("%s has roam-mcp now, as %s", plan.Client.Name, plan.Server.Name)
	if plan.Removes {
		what = fmt.Sprintf("%s is taken out of %s", cmp.Or(plan.Server.Name, "roam-mcp"), plan.Client.Name)
	}
	if plan.File != "" && !plan.Gone {
		what += ", in " + installer.Short(plan.File)
	}
	if plan.Backup != "" {
		return what + ". What was there is in " + installer.Short(plan.Backup) + "."
	}
	return what + "."
}
