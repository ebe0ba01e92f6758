package plain

import (
	"context"
	"strings"

	"roam-mcp/clients"
	"roam-mcp/problem"
	"roam-mcp/proof"
	"roam-mcp/tui"
	"roam-mcp/tui/kit"
	"roam-mcp/tui/wording"
)

// clients lists the MCP clients of this machine, and configures the chosen one.
func (s *prompter) clients(ctx context.Context) error {
	if s.ports.Clients == nil {
		s.tell("No client can be configured from here.")
		return nil
	}
	now := s.graphs.Now()
	var here []tui.ClientStatus
	var options []option
	for _, status := range s.ports.Clients.Look(ctx) {
		if status.State == clients.Absent {
			continue
		}
		here = append(here, status)
		state := wording.ClientState(status.Status, status.Proven, now).Text
		options = append(options, option{word: status.Client.Name, about: state, also: append([]string{status.Client.ID}, status.Client.Aliases...)})
	}
	if len(here) == 0 {
		s.tell("No MCP client that this program knows is on this machine.")
		return nil
	}
	choice := s.choice()
	s.tell(wording.AboutClients, "They get "+wording.Choice(choice, s.ports.Profiles[s.profile].Name)+".")
	i, err := s.choose(ctx, "Which client", append(options, option{word: "back", also: []string{"none"}}), len(options))
	if err != nil || i == len(here) {
		return err
	}
	return s.configure(ctx, here[i], choice)
}

// choice is what clients are given.
func (s *prompter) choice() clients.Choice {
	var choice clients.Choice
	if s.profile > 0 {
		choice.Profile = s.ports.Profiles[s.profile].Name
	}
	if s.graph != "" {
		choice.Graphs = []string{s.graph}
	}
	return choice
}

// configure asks what to do with a client, and does it.
func (s *prompter) configure(ctx context.Context, status tui.ClientStatus, choice clients.Choice) error {
	for _, entry := range status.Entries {
		s.tell(s.words.Entry(entry))
	}
	if status.Err != nil {
		s.fail(status.Err)
	}
	options := []option{{word: "write", about: "show what would change, then write it and prove it"}}
	if len(status.Ours()) > 0 {
		options = append(options, option{word: "prove", about: "start what stands there, and call it", also: []string{"test"}}, option{word: "take out", also: []string{"remove"}})
	}
	options = append(options, option{word: "text", about: "print what to paste"}, option{word: "back"})
	i, err := s.choose(ctx, "What to do with "+status.Client.Name, options, 0)
	if err != nil {
		return err
	}
	id := status.Client.ID
	switch options[i].word {
	case "write":
		return s.install(ctx, id, choice)
	case "prove":
		return s.proveClient(ctx, status.Client, "")
	case "take out":
		plan, err := s.ports.Clients.PlanRemoval(ctx, id, "")
		if agreed, err := s.agree(ctx, plan, err); !agreed {
			return err
		}
		s.done(s.ports.Clients.Apply(ctx, plan), "Taken out of "+status.Client.Name+".")
	case "text":
		plan, err := s.ports.Clients.Plan(ctx, id, choice)
		if err != nil && plan.Text == "" {
			s.fail(err)
		}
		s.literal(plan.Text)
	}
	return ctx.Err()
}

// install shows what would change, writes it, and proves it.
func (s *prompter) install(ctx context.Context, id string, choice clients.Choice) error {
	plan, err := s.ports.Clients.Plan(ctx, id, choice)
	if err == nil && plan.Unchanged {
		s.tell("It is configured like this already.")
		return s.proveClient(ctx, plan.Client, plan.Server.Name)
	}
	if agreed, err := s.agree(ctx, plan, err); !agreed {
		return err
	}
	if err := s.ports.Clients.Apply(ctx, plan); err != nil {
		s.fail(err)
		return ctx.Err()
	}
	if plan.Way == clients.ByLink {
		s.tell("The link is open. Agree in " + plan.Client.Name + ".")
		return nil
	}
	s.tell("Written.")
	return s.proveClient(ctx, plan.Client, plan.Server.Name)
}

// agree shows a plan and asks whether to carry it out.
func (s *prompter) agree(ctx context.Context, plan clients.Plan, err error) (bool, error) {
	switch {
	case err != nil:
		s.fail(err)
		s.literal(plan.Text)
		return false, ctx.Err()
	case plan.Unchanged:
		s.tell("There is nothing to change.")
		return false, nil
	case plan.Way == clients.ByText && plan.Link != "" && !plan.Removes:
		s.tell("Nothing opens links here. Open this one yourself, and agree in " + plan.Client.Name + ":")
		s.say("  " + s.line(plan.Link))
		s.tell("Or paste this:")
		s.literal(plan.Text)
		return false, nil
	case plan.Way == clients.ByText:
		s.tell(plan.Client.Name + " is configured by hand. Paste this:")
		s.literal(plan.Text)
		return false, nil
	case plan.Way == clients.ByCommand:
		s.tell("This is run:")
		s.say("  " + kit.Sanitize(s.words.World.Shell.Join(plan.Command...)))
	case plan.Way == clients.ByLink:
		s.tell("This link is opened:")
		s.say("  " + s.line(plan.Link))
	default:
		s.tell(s.words.Path(plan.File) + " changes so:")
		s.literal(plan.Diff())
	}
	if plan.Backup != "" {
		s.tell("The file as it is goes to " + s.words.Path(plan.Backup) + ".")
	}
	if plan.Note != "" {
		s.tell(plan.Note)
	}
	i, err := s.choose(ctx, "Do it", []option{{word: "yes", also: []string{"y", "write"}}, {word: "no", also: []string{"n"}}}, 1)
	return err == nil && i == 0, err
}

// literal prints text to the letter, line by line.
func (s *prompter) literal(text string) {
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		s.say(kit.Sanitize(strings.ReplaceAll(line, "\t", "  ")))
	}
}

// proveClient starts what stands in a client's file, tells of each step, of graphs that do
// not answer, and of what to do next.
func (s *prompter) proveClient(ctx context.Context, client clients.Client, entry string) error {
	result, err := s.ports.Clients.Prove(ctx, client.ID, entry, false, s.tellStep)
	if n := len(result.Steps); err != nil && n > 0 && result.Steps[n-1].Mend == proof.Agree {
		i, asked := s.choose(ctx, "Start it all the same", []option{{word: "no", also: []string{"n"}}, {word: "yes", also: []string{"y"}}}, 0)
		if asked != nil || i == 0 {
			return asked
		}
		result, err = s.ports.Clients.Prove(ctx, client.ID, entry, true, s.tellStep)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.failProof(result, err)
		return nil
	}
	s.tell(s.words.Silent(result)...)
	if next := wording.NextAfterProof(client); next != "" {
		s.tell(next)
	}
	return nil
}

// failProof tells why a proof failed, and what keeps each graph from answering.
func (s *prompter) failProof(result proof.Result, err error) {
	step, _ := result.FailedAt(err)
	if step.Graph == "" {
		s.fail(err)
	}
	for _, silence := range s.words.Silences(result.Silent()) {
		s.tell(silence.Advice())
	}
}

// tellStep tells of a step of a proof that has ended.
func (s *prompter) tellStep(step proof.Step) {
	switch {
	case step.Running:
	case step.Failed:
		s.tell("Failed: " + s.words.Step(step).Text + ".")
	default:
		s.tell(problem.Sentence(s.words.Step(step).Text))
	}
}

// chooseProfile asks which profile clients are given from now on. One that is not the usual
// one is made for a single graph, so the graph is asked for, too.
func (s *prompter) chooseProfile(ctx context.Context) error {
	var options []option
	for _, p := range s.ports.Profiles {
		options = append(options, option{word: p.Name, about: p.About})
	}
	chosen, err := s.choose(ctx, "Which profile", options, s.profile)
	if err != nil {
		return err
	}
	graph := ""
	if chosen > 0 {
		if graph, err = s.chooseOneGraph(ctx); err != nil {
			return err
		}
	}
	s.profile, s.graph = chosen, graph
	s.tell("Type clients to give it to one.")
	return nil
}

// chooseOneGraph asks for the graph that clients are given alone, if there are several;
// "" stands for every enabled one.
func (s *prompter) chooseOneGraph(ctx context.Context) (nickname string, err error) {
	s.look(ctx)
	if s.roster.ConfigErr != nil {
		return "", nil
	}
	enabled := s.roster.Config.Enabled()
	if len(enabled) == 0 {
		return "", nil
	}
	if len(enabled) == 1 {
		return enabled[0].Nickname, nil
	}
	var options []option
	for _, entry := range enabled {
		options = append(options, option{word: entry.Nickname, also: []string{entry.Name}})
	}
	i, err := s.choose(ctx, "Which graph", append(options, option{word: "all", about: "every enabled graph"}), 0)
	if err != nil || i == len(enabled) {
		return "", err
	}
	return enabled[i].Nickname, nil
}
