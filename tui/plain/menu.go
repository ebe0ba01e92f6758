package plain

import (
	"context"
)

// job is something that the program can do. Its error ends the program; what
// only goes wrong within the job is told.
type job struct {
	option
	run func(context.Context) error // nil: quit
}

// menu is what can be done.
type menu struct {
	*session
	graphJobs  graphJobs
	clientJobs clientJobs
	connector  connector
	history    historyReader
}

func newMenu(s *session) *menu {
	return &menu{session: s, graphJobs: graphJobs{session: s}, clientJobs: clientJobs{session: s}, connector: connector{s}, history: historyReader{s}}
}

// jobs lists what can be done; the further words are the keys that the setup
// program has for it.
func (m *menu) jobs() []job {
	all := []job{
		{option{word: "graphs", about: "list your graphs and how they stand", also: []string{"list"}}, m.graphJobs.listGraphs},
		{option{word: "connect", about: "connect a graph", also: []string{"c"}}, m.connector.connect},
		{option{word: "rename", about: "give a graph another nickname", also: []string{"e"}}, m.graphJobs.rename},
		{option{word: "enable", about: "let agents use a graph again"}, m.graphJobs.enable},
		{option{word: "disable", about: "keep a graph, but let no agent use it"}, m.graphJobs.disable},
		{option{word: "re-authorize", about: "ask Roam for a new token", also: []string{"reauthorize", "reauth", "r"}}, m.connector.reauthorize},
		{option{word: "remove", about: "forget a graph and its token"}, m.graphJobs.remove},
		{option{word: "put back", about: "undo the last removal", also: []string{"u", "undo"}}, m.graphJobs.putBack},
		{option{word: "texts", about: "keep texts of a graph in the history, or none", also: []string{"K"}}, m.texts},
		{option{word: "import", about: "take over the graphs of the official tools", also: []string{"i"}}, m.graphJobs.importOfficial},
		{option{word: "test", about: "make a real call, as an agent would", also: []string{"t"}}, m.graphJobs.test},
		{option{word: "clients", about: "give your graphs to an MCP client, and prove that it works", also: []string{"m"}}, m.clientJobs.chooseClient},
		{option{word: "guidelines", about: "what a graph tells agents"}, m.graphJobs.guidelines},
		{option{word: "history", about: "what agents have written, and what it changed", also: []string{"h"}}, m.history.read},
		{option{word: "files", about: "which files are used, and where they are"}, m.files},
	}
	if m.ports.Activity != nil {
		all = append(all, job{option{word: "activity", about: "what agents do, on all servers", also: []string{"v"}}, m.tellActivity})
	}
	if m.ports.Doctor != nil {
		all = append(all, job{option{word: "doctor", about: "look at everything between Roam and the clients", also: []string{"d"}}, m.tellDoctor})
	}
	if len(m.ports.Profiles) > 1 {
		all = append(all, job{option{word: "profile", about: "choose the tools that clients are given"}, m.clientJobs.chooseProfile})
	}
	if m.ports.Serve != nil {
		all = append(all, job{option{word: "serve", about: "serve agents over HTTP until you stop it", also: []string{"s"}}, m.serve})
	}
	if m.roster.OthersCanRead() {
		all = append(all, job{option{word: "close", about: "make the configuration readable by you only", also: []string{"f"}}, m.graphJobs.fixMode})
	}
	if m.ports.Desk != nil {
		all = append(all, job{option{word: "answer", about: "answer a request in place of Roam (sandbox)"}, m.answerRequest})
	}
	return append(all,
		job{option{word: "help", about: "list these again", also: []string{"?"}}, m.help},
		job{option{word: "quit", also: []string{"q", "exit"}}, nil},
	)
}

// notNow says why there is nothing to do a job with, "" where there is.
func (m *menu) notNow(job string) string {
	switch job {
	case "rename", "enable", "disable", "re-authorize", "remove", "texts", "test", "guidelines":
		if m.roster.ConfigErr != nil {
			return "the configuration can't be read"
		}
		if len(m.roster.Config.Entries) == 0 {
			return "no graph yet"
		}
	case "put back":
		if _, ok := m.graphJobs.removed.Last(); !ok {
			return "nothing was removed"
		}
	case "import":
		if m.graphs.Official == nil {
			return "there are none here"
		}
	}
	return ""
}

func (m *menu) tellJobs() {
	m.tell("What can be done:")
	options := optionsOf(m.jobs())
	for i, o := range options {
		if reason := m.notNow(o.word); reason != "" {
			options[i].about += " (not now: " + reason + ")"
		}
	}
	m.list(options)
}

func optionsOf(jobs []job) []option {
	options := make([]option, len(jobs))
	for i, job := range jobs {
		options[i] = job.option
	}
	return options
}

func (m *menu) chooseJob(ctx context.Context) (job, error) {
	jobs := m.jobs()
	m.say("")
	i, err := m.find(ctx, "What to do", optionsOf(jobs), len(jobs)-2)
	if err != nil {
		return job{}, err
	}
	return jobs[i], nil
}

func (m *menu) help(context.Context) error {
	m.tellJobs()
	m.tell("At each question type a number or a word and press Enter.",
		"Ctrl+C ends the program and drops a request that is open in Roam.")
	return nil
}

func (m *menu) files(context.Context) error {
	if m.ports.Files == nil {
		m.tell("No file is named here.")
		return nil
	}
	for _, file := range m.ports.Files() {
		there := ""
		if !file.There {
			there = " It is not there now."
		}
		m.tell(file.Name + ": " + file.Note + there)
		m.say("  " + m.line(m.words.Path(file.Path)))
	}
	return nil
}
