package store

import (
	"math/rand/v2"

	"roam-mcp/internal/graph/graphdb"
)

// renumbering translates between the entity ids of a graph in memory and those of its
// file. Ids beyond those that it knows are the same in both, as all are for nil.
type renumbering struct {
	inMemory []graphdb.EID // by the id in the file
	inFile   []graphdb.EID // by the id in memory
}

// renumbered gives every one of the ids 1 to last another id of them.
func renumbered(last graphdb.EID) *renumbering {
	r := &renumbering{inMemory: make([]graphdb.EID, last+1), inFile: make([]graphdb.EID, last+1)}
	for e := range r.inMemory {
		r.inMemory[e] = graphdb.EID(e)
	}
	for i := int(last); i > 1; i-- { // Sattolo's algorithm: one cycle, so that none stays
		j := 1 + rand.IntN(i-1)
		r.inMemory[i], r.inMemory[j] = r.inMemory[j], r.inMemory[i]
	}
	for inFile, inMemory := range r.inMemory {
		r.inFile[inMemory] = graphdb.EID(inFile)
	}
	return r
}

// fromFile returns the id in memory of an entity of the file.
func (r *renumbering) fromFile(e graphdb.EID) graphdb.EID {
	if r == nil {
		return e
	}
	return translated(r.inMemory, e)
}

// toFile returns the id in the file of an entity in memory.
func (r *renumbering) toFile(e graphdb.EID) graphdb.EID {
	if r == nil {
		return e
	}
	return translated(r.inFile, e)
}

func translated(ids []graphdb.EID, e graphdb.EID) graphdb.EID {
	if e > 0 && int64(e) < int64(len(ids)) {
		return ids[e]
	}
	return e
}

// datomFromFile returns a datom of the file as it is in memory.
func (r *renumbering) datomFromFile(d graphdb.Datom) graphdb.Datom {
	d.E = r.fromFile(d.E)
	if d.V.Kind() == graphdb.KindRef {
		d.V = graphdb.RefValue(r.fromFile(d.V.Ref()))
	}
	return d
}

// valueToFile returns a value in memory as it is in the file.
func (r *renumbering) valueToFile(v graphdb.Value) graphdb.Value {
	if v.Kind() == graphdb.KindRef {
		return graphdb.RefValue(r.toFile(v.Ref()))
	}
	return v
}
