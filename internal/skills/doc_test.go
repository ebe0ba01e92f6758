// Package skills holds the skills of the profiles, the files below assets/skills,
// against the server: what they say of tools is made from the profiles, each answer in
// them was given by the server on the graph of package demograph, and each error that
// they name was provoked. It also lets an agent work through a session in each profile.
//
// After a change of a tool:
//
//	go test ./internal/skills -update
//
// and a look at the difference. A new tool needs an entry in the table of its profile. A
// change of names, arguments or answers is a new version in the front matter.
package skills
