package architecture

// passedOn are the places where doctor passes on the hint of an error or of a problem of
// another package, all of whose hints are looked at.
var passedOn = []string{
	"doctor.client: hint e.Hint",
	"doctor.config: hint told.Hint",
	"doctor.mode: hint flaw.Hint",
	"doctor.problems: hint each.Hint",
	"doctor.listener: hint told.Hint",
	"doctor.localAPI: hint told.Hint",
	"doctor.journal: hint told.Hint",
	"doctor.notices: hint n.Hint",
	"doctor.textsUnsaid: hint n.Hint",
	"doctor.folders: hint told.Hint",
	"doctor.token: hint told.Hint",
	"doctor.call: hint told.Hint",
}

// elsewhere are the functions of those packages whose hints are of errors that doctor never
// gets: they are met at installing, naming, connecting, importing, undoing and purging.
var elsewhere = []string{
	"clients.Apply", "clients.Launch", "clients.applyCommand", "clients.checkProject", "clients.leadsOut", "clients.notWritten", "clients.planRemoval", "clients.PlanRemove", "clients.unchanged",
	"configstore.CheckNickname", "configstore.CheckProposedNickname", "configstore.PutBack", "configstore.checkEntry", "configstore.checkPlain", "configstore.graphNotConfigured",
	"configstore.interrupted", "configstore.invalidHistory", "configstore.nicknameInvalid", "configstore.openOfficial",
	"history.turns",
	"localapi.RequestToken", "localapi.UnsupportedQuery", "localapi.unsupported",
}

// Reasons why no test runs a mend.
const (
	byPlace    = "it is a key that leads to a screen of the setup program: TestTheDoctorLeadsToWhereAPersonMends in tui presses it"
	noUpdate   = "no newer version of this program can be had in a test"
	otherUser  = "it needs a second user of the computer, or one who is not root"
	noDisk     = "it needs a disk that is full, read-only, of another computer, or mounted file by file"
	ownMend    = "doctor has this error, and says a mend of its own instead, which is run"
	onlyAsking = "Roam says it to a request for a token, which doctor never makes"
	onlyWrites = "Roam says it to writes, queries or long calls, and doctor calls for the guidelines alone"
	inRoam     = "a person does it in Roam, and the sandbox has nothing that stands for it"
)

// notRun has the mends that no test runs, and why.
var notRun = map[string]string{
	`doctor.showFile: fix "show its file"`:    byPlace,
	`doctor.clients: fix "configure one" (2)`: byPlace,
	"doctor.client: Start it: %s":             "it serves until somebody ends it; that the finding goes then is what clients.NotServed is tested for",
	"doctor.otherCopy: Put this one into its place, which asks whether they are to start it: %s": "it is said of a program in a temporary folder; self-install.txtar runs that command",
	"doctor.otherCopy: And: %s":                      "it is the same command for a second client",
	`doctor.clients: fix "configure one"`:            byPlace,
	`doctor.config: fix "connect a graph"`:           byPlace,
	`doctor.config: fix "enable " + first`:           byPlace,
	`doctor.config: fix "open it in an editor"`:      byPlace,
	`doctor.problems: fix "connect it"`:              byPlace,
	`doctor.problems: fix "open it in an editor"`:    byPlace,
	`doctor.renewal: fix "re-authorize"`:             byPlace,
	`doctor.version: fix "open it in an editor"`:     byPlace,
	"doctor.sandbox: To connect your own graphs: %s": "it is said as long as it is the sandbox that is looked at; the same command is run for doctor.config",

	"configstore.parseVersion: Update roam-mcp.":                                        noUpdate,
	"history.explain: Update roam-mcp, and start it again.":                             noUpdate,
	"history.notice: Update roam-mcp.":                                                  noUpdate,
	"localapi.VersionAdvice: Update roam-mcp: Roam speaks %s, this roam-mcp speaks %s.": noUpdate,

	"configstore.unreadable: Make the file yours: check its owner and its mode.":                                                    otherUser,
	"configstore.unwritable: Run roam-mcp as that user, or make the file yours.":                                                    otherUser,
	"configstore.unwritable: Check the owner and the mode of the folder %s and of the files in it that begin with the same name.":   otherUser,
	"history.explain: Check that its folder is there and that you may write in it.":                                                 otherUser,
	"localapi.connectionError: Run roam-mcp as the user who runs %s. If that is you, start it again: it writes its port into ~/%s.": otherUser,

	"configstore.unwritable: Choose another file with --config.":                                        noDisk,
	"configstore.unwritable: Make some room and try again.":                                             noDisk,
	"configstore.unwritable: In a container, mount the folder that holds the file instead of the file.": noDisk,
	"history.explain: Make room on that disk, then try again.":                                          noDisk,
	"history.notice: Have the state folder on a disk of this computer.":                                 noDisk,

	"configstore.unwritable: Create the folder, or choose another file with --config.":                      "doctor looks whether a file can be written that is there, and so is its folder",
	"configstore.lock: Try again; if it stays so, look for a roam-mcp that hangs and end it.":               "the lock is waited for during 10 seconds; the tests of configstore hold it",
	"history.explain: Try again. If it stays so, look what that process does, or end it.":                   "the tests of history hold the lock of the journal",
	"history.notice: Delete that file, or keep it if you miss what it holds.":                               "it is a choice; what ends the finding is said with it, and run",
	"history.notice: See what was done: %s":                                                                 "the finding is made by killing a server within a change, which the tests of mcpserve do; the command is run for doctor.notices",
	"history.notice: To keep more, set days and megabytes of history in the configuration file.":            "what went is gone, and nothing shows that more is kept from now on",
	"localapi.checkListener: Check that it is Roam that listens on this port, and that Roam is up to date.": "what listens is told by name instead, where the system says it",
	"localapi.startRoam: Start %s; it writes the port it listens on into ~/%s.":                             "what listens is told by name instead, where the system says it",

	"localapi.sentences: To use it as it is, at your own risk: %s, or apiVersion of the graph in the configuration file.": ownMend,
	"localapi.sentences: Re-authorize the graph.":                     ownMend,
	"localapi.sentences: Re-authorize the graph. (2)":                 ownMend,
	"localapi.sentences: Re-authorize the graph with the right type.": ownMend,
	"localapi.sentences: Use a Local API token: Roam, Settings > Graph > Local API Tokens; a token for the cloud API does not work here.": ownMend,
	"localapi.sentences: Raise its level in Roam, Settings > Graph > Local API Tokens, or re-authorize with more access.":                 ownMend,

	"localapi.sentences: Answer or close that dialog in Roam, then ask again.":                                     onlyAsking,
	"localapi.sentences: Ask again when you are at Roam.":                                                          onlyAsking,
	"localapi.sentences: Ask again when you mean to allow it, or ask for less access.":                             onlyAsking,
	"localapi.sentences: Start again when you are ready.":                                                          onlyAsking,
	"localapi.sentences: To unblock: open the graph in Roam, Settings > Graph > Local API Tokens; then ask again.": onlyAsking,

	"localapi.explainUnread: Ask for less at once, or give it more: %s":                                  onlyWrites,
	"localapi.explainUnread: Ask for less at once.":                                                      onlyWrites,
	"localapi.explainUnread: Try again in a moment, and ask for less at once.":                           onlyWrites,
	"localapi.serverSentences: Narrow it, or give it more time with :timeout.":                           onlyWrites,
	"localapi.serverSentences: Send it in parts: less text, fewer items or a smaller file in each call.": onlyWrites,
	"localapi.serverSentences: Wait a minute, then try again.":                                           onlyWrites,

	"localapi.sentences: Ask the graph's owner for more, or keep to reading.": inRoam,
	"localapi.serverSentences: Check the graph's permissions in Roam.":        inRoam,
	"localapi.serverSentences: Update %s.":                                    inRoam,
}
