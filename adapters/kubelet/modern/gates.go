package modern

import (
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"

	"podsource/protocol"
)

// setGates sets feature gates and returns what sets them back.
func setGates(gates map[string]bool) (restore func(), err error) {
	before := map[string]bool{}
	known := utilfeature.DefaultMutableFeatureGate.GetAll()
	for name := range gates {
		if _, exists := known[featuregate.Feature(name)]; !exists {
			return nil, protocol.Refused("unknown feature gate "+name, false)
		}
		before[name] = utilfeature.DefaultFeatureGate.Enabled(featuregate.Feature(name))
	}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(gates); err != nil {
		return nil, protocol.Refused(err.Error(), false)
	}
	return func() {
		if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(before); err != nil {
			panic(err)
		}
	}, nil
}
