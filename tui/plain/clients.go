package plain

import (
	"context"

	"roam-mcp/clients"
	"roam-mcp/install"
	"roam-mcp/tui"
	"roam-mcp/tui/kit"
)

// clientJobs are the jobs on MCP clients.
type clientJobs struct {
	*session
	profile int    // index of the profile that clients are given
	graph   string // nickname of the graph that they are given alone; "" for every enabled one
}

// chooseClient lists the MCP clients of this machine, and configures the chosen one.
func (c *clientJobs) chooseClient(ctx context.Context) error {
	if c.ports.Clients == nil {
		c.tell("No client can be configured from here.")
		return nil
	}
	now := c.graphs.Now()
	var here []install.Status
	var options []option
	for _, status := range c.ports.Clients.Look(ctx) {
		if status.State == clients.Absent {
			continue
		}
		here = append(here, status)
		state := tui.ClientLine(status.Status, status.Proven, now).Text
		options = append(options, option{word: status.Client.Name, about: state, also: append([]string{status.Client.ID}, status.Client.Aliases...)})
	}
	if len(here) == 0 {
		c.tell("No MCP client that this program knows is on this machine.")
		return nil
	}
	choice := c.choice()
	c.tell(tui.AboutClients, "They get "+tui.ChoiceText(choice, c.ports.Profiles[c.profile].Name)+".")
	i, err := c.choose(ctx, "Which client", append(options, option{word: "back", also: []string{"none"}}), len(options))
	if err != nil || i == len(here) {
		return err
	}
	return c.configure(ctx, here[i], choice)
}

// choice is what clients are given.
func (c *clientJobs) choice() clients.Choice {
	var choice clients.Choice
	if c.profile > 0 {
		choice.Profile = c.ports.Profiles[c.profile].Name
	}
	if c.graph != "" {
		choice.Graphs = []string{c.graph}
	}
	return choice
}

// configure asks what to do with a client, and does it.
func (c *clientJobs) configure(ctx context.Context, status install.Status, choice clients.Choice) error {
	for _, entry := range status.Entries {
		c.tell(c.words.Entry(entry))
	}
	if status.Err != nil {
		c.fail(status.Err)
	}
	options := []option{{word: "write", about: "show what would change, then write it and prove it"}}
	if len(status.Ours()) > 0 {
		options = append(options, option{word: "prove", about: "start what stands there, and call it", also: []string{"test"}}, option{word: "take out", also: []string{"remove"}})
	}
	options = append(options, option{word: "text", about: "print what to paste"}, option{word: "back"})
	i, err := c.choose(ctx, "What to do with "+status.Client.Name, options, 0)
	if err != nil {
		return err
	}
	id := status.Client.ID
	switch options[i].word {
	case "write":
		return c.install(ctx, id, choice)
	case "prove":
		return c.proveClient(ctx, status.Client, "")
	case "take out":
		plan, err := c.ports.Clients.PlanRemoval(ctx, id, "")
		if agreed, err := c.agree(ctx, plan, err); !agreed {
			return err
		}
		c.done(c.ports.Clients.Apply(ctx, plan), "Taken out of "+status.Client.Name+".")
	case "text":
		plan, err := c.ports.Clients.Plan(ctx, id, choice)
		if err != nil && plan.Text == "" {
			c.fail(err)
		}
		c.literal(plan.Text)
	}
	return ctx.Err()
}

// install shows what would change, writes it, and proves it.
func (c *clientJobs) install(ctx context.Context, id string, choice clients.Choice) error {
	plan, err := c.ports.Clients.Plan(ctx, id, choice)
	if err == nil && plan.Unchanged {
		c.tell("It is configured like this already.")
		return c.proveClient(ctx, plan.Client, plan.Server.Name)
	}
	if agreed, err := c.agree(ctx, plan, err); !agreed {
		return err
	}
	if err := c.ports.Clients.Apply(ctx, plan); err != nil {
		c.fail(err)
		return ctx.Err()
	}
	if plan.Way == clients.ByLink {
		c.tell("The link is open. Agree in " + plan.Client.Name + ".")
		return nil
	}
	c.tell("Written.")
	return c.proveClient(ctx, plan.Client, plan.Server.Name)
}

// agree shows a plan and asks whether to carry it out.
func (s *session) agree(ctx context.Context, plan clients.Plan, err error) (bool, error) {
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

// proveClient starts what stands in a client's file, tells of each step, of graphs that do
// not answer, and of what to do next.
func (c *clientJobs) proveClient(ctx context.Context, client clients.Client, entry string) error {
	result, err := c.ports.Clients.Prove(ctx, client.ID, entry, false, c.tellStep)
	if n := len(result.Steps); err != nil && n > 0 && result.Steps[n-1].Mend == install.MendAgree {
		i, asked := c.choose(ctx, "Start it all the same", []option{{word: "no", also: []string{"n"}}, {word: "yes", also: []string{"y"}}}, 0)
		if asked != nil || i == 0 {
			return asked
		}
		result, err = c.ports.Clients.Prove(ctx, client.ID, entry, true, c.tellStep)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		c.failProof(result, err)
		return nil
	}
	c.tell(c.words.Silent(result)...)
	if next := tui.NextAfterProofText(client); next != "" {
		c.tell(next)
	}
	return nil
}

// chooseProfile asks which profile clients are given from now on. One that is not the usual
// one is made for a single graph, so the graph is asked for, too.
func (c *clientJobs) chooseProfile(ctx context.Context) error {
	var options []option
	for _, p := range c.ports.Profiles {
		options = append(options, option{word: p.Name, about: p.About})
	}
	chosen, err := c.choose(ctx, "Which profile", options, c.profile)
	if err != nil {
		return err
	}
	graph := ""
	if chosen > 0 {
		if graph, err = c.chooseOneGraph(ctx); err != nil {
			return err
		}
	}
	c.profile, c.graph = chosen, graph
	c.tell("Type clients to give it to one.")
	return nil
}

// chooseOneGraph asks for the graph that clients are given alone, if there are several;
// "" stands for every enabled one.
func (c *clientJobs) chooseOneGraph(ctx context.Context) (nickname string, err error) {
	c.look(ctx)
	if c.roster.ConfigErr != nil {
		return "", nil
	}
	enabled := c.roster.Config.Enabled()
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
	i, err := c.choose(ctx, "Which graph", append(options, option{word: "all", about: "every enabled graph"}), 0)
	if err != nil || i == len(enabled) {
		return "", err
	}
	return enabled[i].Nickname, nil
}
