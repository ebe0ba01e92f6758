package clients

// Launch is how a client starts the server of an entry.
type Launch struct {
	Client  string // its ID
	Name    string // of the entry
	Command string // absolute path where it can be found with the PATH that the client gives
	Args    []string
	Env     []string // the whole environment, "KEY=value"
	Dir     string   // working folder
}

// Launch returns how the client starts an entry: environ, the environment of this process,
// as the client strips it, with what the entry sets. The error is a *problem.Error.
func (m Machine) Launch(c Client, f Found, environ []string) (Launch, error) {
	return Launch{Client: c.ID, Name: f.Name, Command: f.Command, Args: f.Args, Env: environ, Dir: m.Home}, nil
}
