// A box of 4 x 2 x 1 cm with groups of every dimension; two faces and the body are in two groups each.
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 0.04, 0.02, 0.01};
Physical Point("corner", 4) = {1};
Physical Curve("edge", 3) = {1};
Physical Surface("left end", 1) = {1};
Physical Surface("ends", 2) = {1, 2};
Physical Volume("body", 7) = {1};
Physical Volume("all", 8) = {1};
Mesh.CharacteristicLengthMin = 0.03;
Mesh.CharacteristicLengthMax = 0.03;
