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

// elsewhere are the functions whose hints are those of errors that doctor never gets.
var elsewhere = []string{}

// notRun has the mends that no test runs, and why.
var notRun = map[string]string{}
